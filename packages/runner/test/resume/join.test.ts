import { createEvent } from '@thole/core';
import type { LlmResponse, Plugin, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { leaseToDeadProcess } from '../support/durable-store.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';
import { agentOf } from '../support/setup.ts';

const join = { concurrency: { policy: 'join' as const } };

describe('concurrency.policy: join', () => {
  it('adds a message to the active run, whose model sees it at its next call', async () => {
    const gate = Promise.withResolvers<string>();
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), says('Both.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [toolOf('wait', () => gate.promise)] }), join);
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion({ ...hello, newMessage: 'and this' });
    await settle();
    gate.resolve('done');
    const [one, two] = [await first, await second];
    expect([one.text, two.text]).toEqual(['Both.', 'Both.']);
    expect(two.invocationId).toBe(one.invocationId);
    expect(textsIn((await stored()).events)).toEqual([
      'user: hello',
      'root: functionCall',
      'user: and this',
      'root: functionResponse',
      'root: Both.',
    ]);
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('and this');
  });

  it('saves the files of both messages under different names', async () => {
    const gate = Promise.withResolvers<string>();
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), says('Both.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [toolOf('wait', () => gate.promise)] }), join);
    const send = (data: string): Promise<unknown> => {
      const newMessage = { parts: [{ inlineData: { mimeType: 'image/png', data } }] };
      return runner.runToCompletion({ ...hello, newMessage, runConfig: { saveInputBlobsAsArtifacts: true } });
    };
    const first = send('AAAA');
    await settle();
    const second = send('BBBB');
    await settle();
    gate.resolve('done');
    await Promise.all([first, second]);
    const saved = (await stored()).events.map(({ actions }) => actions.artifactDelta);
    expect(new Set(saved.flatMap((names) => Object.keys(names))).size).toBe(2);
  });

  it('does not add a message to the run of a dead process, whose lease is still valid (contract 13)', async () => {
    const setup = await createSetup(rootOf(new ScriptedLlm(says('Answer.'))), join);
    const event = createEvent({ author: 'root', invocationId: 'left' });
    await setup.sessions.appendEvent({ session: ref, event, marks: { unfinished: 'left' } });
    await leaseToDeadProcess(setup, 'left');
    expect((await setup.runner.runToCompletion(hello)).text).toBe('Answer.');
  });

  it('calls the model again for a message that arrives with the last answer', async () => {
    const model = new ScriptedLlm(says('First.'), says('Second.'));
    const { runner, stored } = await createSetup(rootOf(model), join);
    const run = runner.runAsync(hello);
    // The run waits until its reader requests the next event.
    await run.next();
    const other = runner.runAsync({ ...hello, newMessage: 'more', runConfig: { reader: 'detached' } });
    await settle();
    const { events } = await outcomeOf(run);
    expect(textsIn(events)).toEqual(['root: Second.']);
    await other.done;
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: First.', 'user: more', 'root: Second.']);
  });

  it('calls the model again for a message that arrives during its last call', async () => {
    const { model, open } = slowModel(says('First.'), says('Second.'));
    const { runner, stored } = await createSetup(rootOf(model), join);
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion({ ...hello, newMessage: 'more' });
    await settle();
    open();
    expect([(await first).status, (await second).status]).toEqual(['completed', 'completed']);
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'user: more', 'root: First.', 'root: Second.']);
    // "First." was stored after "more", but the request ends with the message to answer.
    expect(model.requests[1]!.contents.at(-1)).toEqual({ role: 'user', parts: [{ text: 'more' }] });
    expect(model.requests).toHaveLength(2);
  });

  it('continues once for a message if a callback answers instead of the model', async () => {
    const gate = Promise.withResolvers<void>();
    let answers = 0;
    const beforeModelCallback = async () => {
      if (++answers === 1) await gate.promise;
      return says(`Answer ${answers}.`);
    };
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(), { beforeModelCallback }), join);
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion({ ...hello, newMessage: 'more' });
    await settle();
    gate.resolve();
    expect([(await first).status, (await second).status]).toEqual(['completed', 'completed']);
    const texts = ['user: hello', 'user: more', 'root: Answer 1.', 'root: Answer 2.'];
    expect(textsIn((await stored()).events)).toEqual(texts);
  });

  it('calls the model again for a message that was read after its request was built', async () => {
    const [requestGate, eventGate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const model = new ScriptedLlm(says('A.'), says('Both.'));
    const slow = new LlmAgent({
      name: 'slow',
      model,
      beforeModelCallback: () => requestGate.promise.then(() => undefined),
    });
    const other = agentOf('other', async function* ({ invocationId, runtime }) {
      await eventGate.promise;
      yield createEvent(
        { author: 'other', invocationId, content: { role: 'model', parts: [{ text: 'News.' }] } },
        runtime,
      );
    });
    const { runner, runtime } = await createSetup(new ParallelAgent({ name: 'root', subAgents: [slow, other] }), join);
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion({ ...hello, newMessage: 'more' });
    await settle();
    // The run reads the message when it stores this event.
    eventGate.resolve();
    await settle();
    requestGate.resolve();
    await settle();
    // The second caller checks from time to time whether the run has ended.
    await runtime.advance(1_000);
    await Promise.all([first, second]);
    expect(model.requests.map(({ contents }) => JSON.stringify(contents).includes('more'))).toEqual([false, true]);
  });

  it('does not stop the active run if the second caller leaves', async () => {
    const gate = Promise.withResolvers<string>();
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), says('Both.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [toolOf('wait', () => gate.promise)] }), join);
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runAsync({ ...hello, newMessage: 'and this' });
    const reading = second.next();
    await settle();
    await second.return!();
    gate.resolve('done');
    expect((await first).text).toBe('Both.');
    await reading;
    const { events } = await stored();
    expect(events.some(({ errorCode }) => errorCode !== undefined)).toBe(false);
    expect(textsIn(events)).toContain('user: and this');
  });

  it('acquires the lease if the active run ends before the message is stored', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    await sessions.createSession(ref);
    const [answer, store] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sessionService = withSlowJoins(sessions, store.promise);
    const slow = new ScriptedLlm(() => answer.promise.then(() => says('First.')));
    const one = await createSetup(rootOf(slow), { ...join, sessionService: sessions, runtime });
    const two = await createSetup(rootOf(new ScriptedLlm(says('Second.'))), { ...join, sessionService, runtime });
    const first = one.runner.runToCompletion(hello);
    await settle();
    const second = two.runner.runToCompletion({ ...hello, newMessage: 'more' });
    await settle();
    answer.resolve();
    const { invocationId } = await first;
    store.resolve();
    expect(await second).toMatchObject({ text: 'Second.' });
    expect((await second).invocationId).not.toBe(invocationId);
    const texts = ['user: hello', 'root: First.', 'user: more', 'root: Second.'];
    expect(textsIn((await sessions.getSession(ref))!.events)).toEqual(texts);
  });

  it('opens at once, and yields the events of the active run only', async () => {
    const gate = Promise.withResolvers<string>();
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), says('Both.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('wait', () => gate.promise)] }), join);
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runAsync({ ...hello, newMessage: 'and this', runConfig: { reader: 'detached' } });
    const { invocationId } = await second.opened;
    await runner.updateState({ ...ref, stateDelta: { other: 1 } });
    gate.resolve('done');
    expect((await first).invocationId).toBe(invocationId);
    expect(textsIn((await outcomeOf(second)).events)).toEqual(['root: functionResponse', 'root: Both.']);
  });

  it('calls beforeRunCallback and afterRunCallback for the active run only (contract 21)', async () => {
    const gate = Promise.withResolvers<string>();
    const hooks: string[] = [];
    const plugin: Plugin = {
      name: 'hooks',
      onUserMessageCallback: async ({ invocationContext: { state } }) => {
        state.set('messages', hooks.push('message'));
        return undefined;
      },
      beforeRunCallback: async () => void hooks.push('before'),
      afterRunCallback: async ({ invocationContext: { state } }) => state.set('after', hooks.push('after')),
    };
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), says('Both.'));
    const agent = rootOf(model, { tools: [toolOf('wait', () => gate.promise)] });
    const { runner, runtime, stored } = await createSetup(agent, { ...join, plugins: [plugin] });
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion({ ...hello, newMessage: 'more' });
    await settle();
    gate.resolve('done');
    await settle();
    await runtime.advance(1_000);
    expect([(await first).text, (await second).text]).toEqual(['Both.', 'Both.']);
    expect(hooks).toEqual(['message', 'before', 'message', 'after']);
    expect((await stored()).state).toEqual({ messages: 3, after: 4 });
  });

  it.each([
    ['fails', 'MODEL_AUTH'],
    ['is cancelled', 'RUN_ABORTED'],
  ])('rejects with the error of the active run if it %s', async (how, code) => {
    const gate = Promise.withResolvers<string>();
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), fails('MODEL_AUTH'));
    const agent = rootOf(model, { tools: [toolOf('wait', () => gate.promise)] });
    const { runner, runtime } = await createSetup(agent, join);
    const first = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    const second = runner.runAsync({ ...hello, newMessage: 'and this', runConfig: { reader: 'detached' } });
    await settle();
    if (how === 'fails') gate.resolve('done');
    else await runner.cancel(ref);
    await settle();
    await runtime.advance(1_000);
    const [one, two] = [await first.result, await second.result];
    expect(one).toMatchObject({ status: 'failed', error: { code } });
    expect(two).toMatchObject({ status: 'failed', error: { code, message: one.error!.message } });
    expect((await outcomeOf(second)).error).toMatchObject({ code });
  });

  it('starts a separate run if the session has no active run', async () => {
    const model = new ScriptedLlm(says('One.'), says('Two.'));
    const { runner } = await createSetup(rootOf(model), join);
    expect((await runner.runToCompletion(hello)).text).toBe('One.');
    expect((await runner.runToCompletion(hello)).text).toBe('Two.');
  });
});

describe('Runner.resume', () => {
  it('answers an interrupt while its run is still active, without waiting for the lease', async () => {
    const gate = Promise.withResolvers<string>();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const asking = new LlmAgent({
      name: 'asking',
      model: new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.')),
      tools: [pay],
    });
    const slow = new LlmAgent({
      name: 'slow',
      model: new ScriptedLlm(calls('wait', {}, 'c2'), says('Slow.')),
      tools: [toolOf('wait', () => gate.promise)],
    });
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents: [asking, slow] }));
    const first = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    const [interrupt] = await runner.pendingInterrupts(ref);
    const answer = runner.resume({ ...ref, answers: { [interrupt!.id]: true } });
    const ending = outcomeOf(answer);
    await settle();
    gate.resolve('done');
    const result = await first.result;
    expect(result.status).toBe('completed');
    expect((await ending).error).toBeUndefined();
    expect(textsIn((await stored()).events)).toEqual(expect.arrayContaining(['asking: Paid.', 'slow: Slow.']));
    expect((await stored()).marks).toEqual({ unfinished: null, wakeAt: null, openInterrupts: 0 });
  });
});

describe('A caller that stops while its event is added to a run', () => {
  it.each([
    ['an answer', 'aborts'],
    ['an answer', 'leaves'],
    ['a message', 'aborts'],
    ['a message', 'leaves'],
  ])('does not end that run: %s, the caller %s', async (event, action) => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    await sessions.createSession(ref);
    const [stored, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const ask = toolOf('ask', (_args, context) => context.requestInput({ message: 'Which?' }));
    const wait = toolOf('wait', () => waited.promise);
    const agent = new ParallelAgent({
      name: 'root',
      subAgents: [
        new LlmAgent({ name: 'asking', model: new ScriptedLlm(calls('ask', {}, 'c1'), says('Asked.')), tools: [ask] }),
        new LlmAgent({ name: 'slow', model: new ScriptedLlm(calls('wait', {}, 'c2'), says('Slow.')), tools: [wait] }),
      ],
    });
    const one = await createSetup(agent, { ...join, sessionService: sessions, runtime });
    const sessionService = withSlowJoins(sessions, stored.promise);
    const two = await createSetup(agent, { ...join, sessionService, runtime });
    const first = one.runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    const [interrupt] = await one.runner.pendingInterrupts(ref);
    const abort = new AbortController();
    const request = { ...ref, abortSignal: abort.signal };
    const second =
      event === 'an answer'
        ? two.runner.resume({ ...request, answers: { [interrupt!.id]: 'blue' } })
        : two.runner.runAsync({ ...request, newMessage: 'more' });
    const reading = second.next().catch(() => undefined);
    await settle();
    const leaving = action === 'aborts' ? abort.abort() : second.return!();
    await settle();
    stored.resolve();
    await Promise.all([reading, leaving]);
    waited.resolve('done');
    const { status } = await first.result;
    const { events, marks } = (await sessions.getSession(ref))!;
    expect(events.filter(({ errorCode }) => errorCode !== undefined)).toEqual([]);
    const isAnswered = event === 'an answer';
    expect([status, marks!.openInterrupts]).toEqual(isAnswered ? ['completed', 0] : ['paused', 1]);
    expect(textsIn(events).includes('asking: Asked.')).toBe(isAnswered);
  });
});

/** Returns a session service that adds events to the run of another process when the promise resolves. */
function withSlowJoins(sessions: InMemorySessionService, gate: Promise<void>): SessionService {
  return new Proxy(sessions, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'appendEvent') return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      return async (p: Parameters<SessionService['appendEvent']>[0]) => {
        if (p.ifHeldBy !== undefined && p.event.errorCode === undefined) await gate;
        return target.appendEvent(p);
      };
    },
  });
}

/** Returns a model whose first answer waits for `open`. */
function slowModel(first: LlmResponse, ...others: LlmResponse[]): { model: ScriptedLlm; open: () => void } {
  const gate = Promise.withResolvers<void>();
  const model = new ScriptedLlm(
    async () => {
      await gate.promise;
      return first;
    },
    ...others,
  );
  return { model, open: gate.resolve };
}
