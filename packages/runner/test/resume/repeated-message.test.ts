import { createEvent } from '@thole/core';
import type { EventInit, Llm, SessionService } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';
import type { LlmTestSetup } from '../support/llm-setup.ts';

const request = { ...hello, messageId: 'm1' };
const stuck = (): Promise<never> => new Promise(() => {});

/** Stores the message `m1` and these events, like a process that has died in the middle of the run. */
async function leave(sessions: SessionService, events: readonly Partial<EventInit>[], marks = true): Promise<void> {
  const content = { role: 'user' as const, parts: [{ text: 'hello' }] };
  const message: Partial<EventInit> = { id: 'm1', author: 'user', content };
  for (const event of [message, ...events])
    await sessions.appendEvent({
      session: ref,
      event: createEvent({ author: 'root', invocationId: 'left', ...event }),
      ...(marks && { marks: { unfinished: 'left' } }),
    });
}

/** Returns a second runner with the same sessions, like that of another process. */
async function otherProcess(
  { runtime, sessions }: LlmTestSetup,
  model: Llm,
  options?: Partial<RunnerOptions>,
): Promise<LlmTestSetup> {
  return createSetup(rootOf(model), { sessionService: sessions, runtime, ...options });
}

const lookupCall = { role: 'model' as const, parts: [{ functionCall: { id: 'c1', name: 'lookup', args: {} } }] };
const lookupAnswer = {
  role: 'user' as const,
  parts: [{ functionResponse: { id: 'c1', name: 'lookup', response: { result: 'found' } } }],
};

describe('A repeated message', () => {
  it('continues the invocation of a process that died before the answer', async () => {
    const { runner, sessions, stored } = await createSetup(rootOf(new ScriptedLlm(says('Answer.'))));
    await leave(sessions, []);
    const { invocationId, text } = await runner.runToCompletion(request);
    expect([invocationId, text]).toEqual(['left', 'Answer.']);
    const { events, marks } = await stored();
    expect(textsIn(events)).toEqual(['user: hello', 'root: Answer.']);
    expect(marks).toMatchObject({ unfinished: null });
    expect((await runner.runToCompletion(request)).text).toBe('Answer.');
  });

  it('yields the stored events first, and calls no tool twice', async () => {
    let runs = 0;
    const lookup = toolOf('lookup', () => void runs++);
    const { runner, sessions } = await createSetup(rootOf(new ScriptedLlm(says('Answer.')), { tools: [lookup] }));
    await leave(sessions, [{ content: lookupCall }, { content: lookupAnswer }]);
    const { events, error } = await outcomeOf(runner.runAsync({ ...request, yieldUserMessage: true }));
    expect([error, runs]).toEqual([undefined, 0]);
    expect(textsIn(events)).toEqual(['user: hello', 'root: functionCall', 'root: functionResponse', 'root: Answer.']);
  });

  it('holds a lease with the id of the continued invocation, and can be cancelled', async () => {
    const { runner, sessions } = await createSetup(rootOf(new ScriptedLlm(stuck)));
    await leave(sessions, []);
    const reading = outcomeOf(runner.runAsync(request));
    await settle();
    expect(await sessions.leasing!.current(ref)).toMatchObject({ invocationId: 'left', expired: false });
    expect(await runner.cancel({ ...ref, invocationId: 'left' })).toBe(true);
    expect((await reading).error?.code).toBe('RUN_ABORTED');
  });

  it('continues the invocation once if two processes get the message', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const model = new ScriptedLlm(async () => (await promise, says('Answer.')));
    const one = await createSetup(rootOf(model));
    await leave(one.sessions, []);
    const two = await otherProcess(one, new ScriptedLlm());
    const runs = [one, two].map(({ runner }) => runner.runToCompletion(request));
    await settle();
    resolve();
    await one.runtime.advance(300);
    expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(['Answer.', 'Answer.']);
  });

  it.each(['queue', 'interrupt', 'reject', 'join'] as const)(
    'follows the active run of its invocation with the policy %s',
    async (policy) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const model = new ScriptedLlm(async () => (await promise, says('Answer.')));
      const { runner, runtime } = await createSetup(rootOf(model), { concurrency: { policy, waitMs: 1_000 } });
      const first = runner.runToCompletion(request);
      await settle();
      const second = runner.runToCompletion(request);
      // Longer than a new message may wait.
      for (let i = 0; i < 10; i++) await runtime.advance(1_000).then(settle);
      resolve();
      await settle();
      await runtime.advance(300);
      const completions = await Promise.all([first, second]);
      expect(completions.map(({ text }) => text)).toEqual(['Answer.', 'Answer.']);
      expect(completions[1].invocationId).toBe(completions[0].invocationId);
    },
  );

  it('continues the invocation if the process dies that it follows', async () => {
    const first = await createSetup(rootOf(new ScriptedLlm(stuck)));
    const dying = outcomeOf(first.runner.runAsync({ ...request, runConfig: { reader: 'detached' } }));
    await settle();
    const second = await otherProcess(first, new ScriptedLlm(says('Answer.')));
    const reading = outcomeOf(second.runner.runAsync(request));
    await settle();
    // The end of the first run is not recorded: another process continues it.
    Object.assign(first.sessions, { isDurable: true });
    await first.runner.close();
    await dying;
    await first.runtime.advance(300);
    const { events, error } = await reading;
    expect([error, textsIn(events)]).toEqual([undefined, ['root: Answer.']]);
  });

  it.each(['queue', 'interrupt', 'reject', 'join'] as const)(
    'follows a run that has not stored the message yet, with the policy %s',
    async (policy) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const model = new ScriptedLlm(async () => (await promise, says('Answer.')));
      const one = await createSetup(rootOf(model), { concurrency: { policy, waitMs: 1_000 } });
      const two = await otherProcess(one, new ScriptedLlm(), { concurrency: { policy, waitMs: 1_000 } });
      const runs = [one, two].map(({ runner }) => runner.runToCompletion(request));
      await settle();
      for (let i = 0; i < 3; i++) await one.runtime.advance(1_000).then(settle);
      resolve();
      await settle();
      await one.runtime.advance(300);
      expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(['Answer.', 'Answer.']);
      expect(textsIn((await one.stored()).events)).toEqual(['user: hello', 'root: Answer.']);
    },
  );

  it('follows a run that began while the message waited for the session', async () => {
    const [before, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const model = new ScriptedLlm(
      async () => (await before.promise, says('Before.')),
      async () => (await answer.promise, says('Answer.')),
    );
    const one = await createSetup(rootOf(model));
    const two = await otherProcess(one, new ScriptedLlm(), { concurrency: { waitMs: 1_000 } });
    const other = one.runner.runToCompletion(hello);
    await settle();
    const runs = [one.runner.runToCompletion(request)];
    await settle();
    runs.push(two.runner.runToCompletion(request));
    await settle();
    before.resolve();
    await other;
    for (let i = 0; i < 3; i++) await one.runtime.advance(1_000).then(settle);
    answer.resolve();
    await settle();
    await one.runtime.advance(300);
    expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(['Answer.', 'Answer.']);
  });

  it('throws SESSION_NOT_FOUND if the session is deleted, and does not create it again', async () => {
    const one = await createSetup(rootOf(new ScriptedLlm(stuck)));
    const dying = outcomeOf(one.runner.runAsync({ ...request, runConfig: { reader: 'detached', cleanupMs: 10 } }));
    await settle();
    const two = await otherProcess(one, new ScriptedLlm(says('Again.')), { autoCreateSession: true });
    const reading = outcomeOf(two.runner.runAsync(request));
    await settle();
    await one.sessions.deleteSession(ref);
    await one.runner.close();
    await dying;
    await one.runtime.advance(300);
    expect((await reading).error?.code).toBe('SESSION_NOT_FOUND');
    expect(await one.sessions.getSession(ref)).toBeUndefined();
  });

  it('returns the closing record of a process that died before it released the lease', async () => {
    const { runner, sessions } = await createSetup(rootOf(new ScriptedLlm()));
    await leave(sessions, [{ errorCode: 'RUN_ABORTED', errorMessage: 'Cancelled.' }]);
    const { error, events } = await outcomeOf(runner.runAsync(request));
    expect([error, textsIn(events)]).toEqual([undefined, ['root: RUN_ABORTED']]);
  });

  it('rejects `opened` if the stored message has other content', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm(says('Answer.'))));
    await runner.runToCompletion(request);
    const run = runner.runAsync({ ...request, newMessage: 'other' });
    const { opened } = run;
    expect((await outcomeOf(run)).error?.code).toBe('MESSAGE_ID_TAKEN');
    await expect(opened).rejects.toMatchObject({ code: 'MESSAGE_ID_TAKEN' });
  });

  it('stays paused, and returns the open interrupts of a sub-agent', async () => {
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const writer = new LlmAgent({ name: 'writer', model: new ScriptedLlm(calls('pay', {}, 'c1')), tools: [pay] });
    const { runner } = await createSetup(new SequentialAgent({ name: 'plan', subAgents: [writer] }));
    const first = await runner.runToCompletion(request);
    const again = await runner.runToCompletion(request);
    expect([first.status, again.status]).toEqual(['paused', 'paused']);
    expect(again.interrupts).toEqual(first.interrupts);
    expect(again.events).toEqual(first.events);
  });

  it('continues a message of regenerate whose process died', async () => {
    const setup = await createSetup(rootOf(new ScriptedLlm(says('One.'), stuck)));
    const { invocationId } = await setup.runner.runToCompletion(hello);
    const regenerating = { ...ref, invocationId, messageId: 'm2' };
    const dying = outcomeOf(setup.runner.regenerate(regenerating));
    await settle();
    Object.assign(setup.sessions, { isDurable: true });
    await setup.runner.close();
    await dying;
    const { runner } = await otherProcess(setup, new ScriptedLlm(says('Two.')));
    const { error, events } = await outcomeOf(runner.regenerate(regenerating));
    expect([error, textsIn(events)]).toEqual([undefined, ['root: Two.']]);
  });

  it.each(['queue', 'interrupt', 'reject', 'join'] as const)(
    'follows the active run of a repeated regenerate with the policy %s',
    async (policy) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const model = new ScriptedLlm(says('One.'), async () => (await promise, says('Two.')));
      const setup = await createSetup(rootOf(model), { concurrency: { policy, waitMs: 1_000 } });
      const { runner, runtime } = setup;
      const { invocationId } = await runner.runToCompletion(hello);
      const regenerating = { ...ref, invocationId, messageId: 'm2' };
      const runs = [outcomeOf(runner.regenerate(regenerating)), outcomeOf(runner.regenerate(regenerating))];
      await settle();
      runs.push(outcomeOf(runner.regenerate(regenerating)));
      for (let i = 0; i < 3; i++) await runtime.advance(1_000).then(settle);
      resolve();
      await settle();
      await runtime.advance(300);
      const outcomes = await Promise.all(runs);
      expect(outcomes.map(({ error, events }) => error ?? textsIn(events))).toEqual(Array(3).fill(['root: Two.']));
    },
  );

  it.each([{ finishReason: 'STOP' }, { errorCode: 'SAFETY' }])(
    'returns the answer %j, which has no text, if the app cannot resume the invocation',
    async (answer) => {
      const rootAgent = rootOf(new ScriptedLlm());
      const app = { name: 'app', rootAgent, resumability: { isResumable: false } };
      const { runner, sessions } = await createSetup(rootAgent, { app, agent: undefined, appName: undefined });
      await leave(sessions, [answer], false);
      const { error, events } = await outcomeOf(runner.runAsync(request));
      expect([error, events]).toMatchObject([undefined, [answer]]);
    },
  );

  it.each([
    ['no answer', []],
    ['an open call', [{ content: lookupCall }]],
    ['an answer of a tool only', [{ content: lookupCall }, { content: lookupAnswer }]],
  ])('throws INVOCATION_ENDED if the app cannot resume an invocation with %s', async (_, events) => {
    const { runner, sessions, stored } = await createSetup(rootOf(new ScriptedLlm()), {
      app: { name: 'app', rootAgent: rootOf(new ScriptedLlm()), resumability: { isResumable: false } },
      agent: undefined,
      appName: undefined,
    });
    await leave(sessions, events, false);
    const { error } = await outcomeOf(runner.runAsync(request));
    expect(error).toMatchObject({ code: 'INVOCATION_ENDED', message: expect.stringContaining('new messageId') });
    expect((await stored()).events).toHaveLength(1 + events.length);
  });
});

describe('An invocation that has transferred to an agent that the app does not have any more', () => {
  const transferCall = { functionCall: { id: 'c1', name: 'transfer_to_agent', args: { agentName: 'gone' } } };
  const transferAnswer = { functionResponse: { id: 'c1', name: 'transfer_to_agent', response: { result: 'ok' } } };
  const transfer = [
    { content: { role: 'model' as const, parts: [transferCall] } },
    { content: { role: 'user' as const, parts: [transferAnswer] }, actions: { transferToAgent: 'gone' } },
  ];

  it('is skipped by recover()', async () => {
    const { runner, sessions, stored } = await createSetup(rootOf(new ScriptedLlm()));
    await leave(sessions, transfer);
    expect(await Array.fromAsync(runner.recover())).toMatchObject([{ reason: 'unknown-agent-or-tool' }]);
    expect((await stored()).events).toHaveLength(3);
  });

  it.each(['a repeated message', 'resume()'])('throws RESUME_DIVERGED for %s, and stays unfinished', async (title) => {
    const { runner, sessions, stored } = await createSetup(rootOf(new ScriptedLlm()));
    await leave(sessions, transfer);
    const { error } = await outcomeOf(title === 'resume()' ? runner.resume(ref) : runner.runAsync(request));
    expect(error).toMatchObject({ code: 'RESUME_DIVERGED', message: expect.stringContaining('agent "gone"') });
    const { events, marks } = await stored();
    expect([events.length, marks]).toMatchObject([3, { unfinished: 'left' }]);
  });
});
