import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEvent } from '@thole/core';
import type { Agent, Event, Fence, InvocationContext, SessionMarks, SessionRef } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';
import { agentOf } from '../support/setup.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function messageOf(invocationId: string): Event {
  return createEvent({ author: 'user', invocationId, content: { role: 'user', parts: [{ text: 'hello' }] } });
}

/** Acquires the lease of the session, like a process that dies afterwards. */
async function leaseOf(
  { leasing }: InMemorySessionService,
  invocationId: string,
  session: SessionRef = ref,
): Promise<{ fence: Fence; marks: Partial<SessionMarks> }> {
  const { fence } = await leasing!.lease(session, {
    ...{ invocationId, holder: 'other', policy: 'reject', waitMs: 0, maxWaiting: 0, ttlMs: 30_000, cleanupMs: 1_000 },
  });
  return { fence, marks: { unfinished: invocationId } };
}

describe('Runner.recover', () => {
  it('answers an expired confirmation as rejected', async () => {
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true, confirmationTtlMs: 60_000 });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Too late.'));
    const { runner, runtime, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion(hello);
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
    await runtime.advance(61_000);
    await runner.idle();
    await settle();
    expect(textsIn((await stored()).events).at(-1)).toBe('root: Too late.');
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });

  it('returns the results of the runs that have begun if its signal is aborted', async () => {
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true, confirmationTtlMs: 60_000 });
    const { runner, runtime, sessions } = await createSetup(
      rootOf(new ScriptedLlm(calls('pay', {}, 'c1'), calls('pay', {}, 'c2')), { tools: [tool] }),
    );
    await sessions.createSession({ ...ref, sessionId: 't' });
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, sessionId: 't' });
    await runner.close();
    await runtime.advance(61_000);
    const models = new ScriptedLlm(says('Too late.'), says('Too late.'));
    const after = await createSetup(rootOf(models, { tools: [tool] }), { sessionService: sessions, runtime });
    const stop = new AbortController();
    const results: string[] = [];
    for await (const { outcome } of after.runner.recover({ concurrency: 1, signal: stop.signal })) {
      results.push(outcome);
      stop.abort();
    }
    expect(results).toEqual(['completed']);
    expect(await Array.fromAsync(after.runner.recover({ signal: stop.signal }))).toEqual([]);
    expect(await Array.fromAsync(after.runner.recover())).toMatchObject([{ outcome: 'completed' }]);
  });
});

describe('An invocation that was deleted or rewound before it is continued', () => {
  it.each(['delete', 'rewind'] as const)('is skipped as ended by recover(), which had listed it (%s)', async (how) => {
    const { runner, runtime, sessions } = await createSetup(rootOf(new ScriptedLlm()));
    await sessions.appendEvent({ session: ref, event: messageOf('i1'), ...(await leaseOf(sessions, 'i1')) });
    await runtime.advance(120_000);
    const list = sessions.listWaitingSessions.bind(sessions);
    sessions.listWaitingSessions = async (p) => {
      const page = await list(p);
      if (how === 'delete') await runner.deleteSession(ref);
      else if (page.sessions.length > 0) await runner.rewind({ ...ref, rewindBeforeInvocationId: 'i1' });
      return page;
    };
    expect(await Array.fromAsync(runner.recover())).toMatchObject([{ outcome: 'skipped', reason: 'ended' }]);
  });

  it('logs no error when the time of its interrupt comes', async () => {
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true, confirmationTtlMs: 60_000 });
    const { runner, runtime } = await createSetup(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }));
    await runner.runToCompletion(hello);
    await runner.deleteSession(ref);
    await runtime.advance(61_000);
    await runner.idle();
    await settle();
    expect(runtime.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('A run that sleeps', () => {
  it('keeps neither its context nor its session in memory until its timer is due', async () => {
    let context: WeakRef<InvocationContext> | undefined;
    const agent = agentOf('sleeper', async function* (sleeping) {
      context ??= new WeakRef(sleeping);
      await sleeping.sleep(3_600_000);
    });
    const { runner, runtime } = await createSetup(agent);
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'paused' });
    await settle();
    collectGarbage();
    expect(context!.deref()).toBeUndefined();
    await runtime.advance(3_601_000);
    await runner.idle();
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });
});

describe('A session with an expired confirmation of an agent that the app does not have any more', () => {
  it('does not prevent recover() from continuing a later timer of the session', async () => {
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true, confirmationTtlMs: 60_000 });
    const payer = new LlmAgent({ name: 'payer', model: new ScriptedLlm(calls('pay', {}, 'c1')), tools: [tool] });
    const rootWith = (agent: Agent): SequentialAgent => new SequentialAgent({ name: 'root', subAgents: [agent] });
    const { runner, runtime, sessions } = await createSetup(rootWith(payer));
    await runner.runToCompletion(hello);
    await runner.close();
    const sleeper = agentOf('sleeper', async function* (context) {
      await context.sleep(3_600_000);
    });
    const before = await createSetup(rootWith(sleeper), { sessionService: sessions, runtime });
    await before.runner.runToCompletion(hello);
    await before.runner.close();
    await runtime.advance(3_601_000);
    const after = await createSetup(rootWith(sleeper), { sessionService: sessions, runtime });
    expect(await Array.fromAsync(after.runner.recover())).toMatchObject([
      { outcome: 'skipped', reason: 'unknown-agent-or-tool' },
      { outcome: 'completed' },
    ]);
  });
});

describe('Runners that recover at the same time', () => {
  it('do not resume an invocation twice: one of them skips it', async () => {
    const { runner, runtime, sessions } = await createSetup(rootOf(new ScriptedLlm()));
    const invocationId = 'left';
    await sessions.appendEvent({
      session: ref,
      event: messageOf(invocationId),
      ...(await leaseOf(sessions, invocationId)),
    });
    await runtime.advance(120_000);
    const answer = Promise.withResolvers<void>();
    const model = new ScriptedLlm(async () => {
      await answer.promise;
      return says('Done.');
    });
    const winner = await createSetup(rootOf(model), { sessionService: sessions, runtime });
    const first = Array.fromAsync(winner.runner.recover());
    await settle();
    expect(await Array.fromAsync(runner.recover())).toMatchObject([{ outcome: 'skipped', reason: 'held' }]);
    answer.resolve();
    expect(await first).toMatchObject([{ outcome: 'completed' }]);
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });

  it.each([
    ['ended', 'cancelled'],
    ['not-due', 'continued'],
  ])('skip as %s an invocation that was %s after it was listed', async (reason, action) => {
    const answer = Promise.withResolvers<void>();
    const model = new ScriptedLlm(async () => {
      await answer.promise;
      return says('Done.');
    });
    const { runner, runtime, sessions } = await createSetup(rootOf(model));
    const other = { ...ref, sessionId: 't' };
    await sessions.createSession(other);
    for (const session of [ref, other])
      await sessions.appendEvent({
        ...{ session, event: messageOf(session.sessionId) },
        ...(await leaseOf(sessions, session.sessionId, session)),
      });
    await runtime.advance(120_000);
    const recovering = Array.fromAsync(runner.recover({ concurrency: 1 }));
    await settle();
    // The first session is resumed, and the second is listed.
    const others = await createSetup(rootOf(new ScriptedLlm(says('Done.'))), { sessionService: sessions, runtime });
    if (action === 'cancelled') expect(await others.runner.cancel({ ...other, invocationId: 't' })).toBe(true);
    else expect(await others.runner.resume(other).result).toMatchObject({ status: 'completed' });
    const before = (await sessions.getSession(other))!.lastSeq;
    answer.resolve();
    expect(await recovering).toMatchObject([{ outcome: 'completed' }, { ref: other, outcome: 'skipped', reason }]);
    expect((await sessions.getSession(other))!.lastSeq).toBe(before);
  });

  it('continue an answer that was stored while a dead process had the lease', async () => {
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const { runner, runtime, sessions, stored } = await createSetup(rootOf(model, { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    await leaseOf(sessions, invocationId);
    const answers = { [interrupts[0]!.id]: true };
    const abort = new AbortController();
    const joined = outcomeOf(runner.resume({ ...ref, answers, abortSignal: abort.signal }));
    await settle();
    abort.abort();
    await joined;
    await runtime.advance(120_000);
    expect(await Array.fromAsync(runner.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(textsIn((await stored()).events).at(-1)).toBe('root: Paid.');
  });
});

describe('An invocation whose process died between its last event and the release of the lease', () => {
  it('is no longer listed after resume(), which stores nothing', async () => {
    const { runner, runtime, sessions, stored } = await createSetup(rootOf(new ScriptedLlm()));
    const invocationId = 'left';
    const answer = createEvent({
      author: 'root',
      invocationId,
      content: { role: 'model', parts: [{ text: 'Done.' }] },
    });
    // The process of an attempt of recovery died, too. recover() tries again only after a minute.
    const attempt = createEvent({ author: 'system', invocationId, customMetadata: { resumeAttempt: 1 } }, runtime);
    for (const event of [messageOf(invocationId), answer, attempt])
      await sessions.appendEvent({ session: ref, event, marks: { unfinished: invocationId } });
    expect(await Array.fromAsync(runner.recover())).toMatchObject([{ reason: 'waiting-for-retry' }]);
    expect((await stored()).marks).toMatchObject({ unfinished: invocationId });
    expect(await runner.resume({ ...ref, invocationId }).result).toMatchObject({ status: 'completed' });
    expect((await stored()).events).toHaveLength(3);
    expect((await stored()).marks).toMatchObject({ unfinished: null });
  });

  it('stays listed if resume() fails with RESUME_DIVERGED, which stores nothing', async () => {
    const agent = agentOf('root', async function* ({ invocationId, runtime }) {
      yield createEvent({ author: 'root', invocationId }, runtime);
    });
    const { runner, sessions, stored } = await createSetup(agent);
    const invocationId = 'left';
    const before = createEvent({
      author: 'root',
      invocationId,
      content: { role: 'model', parts: [{ text: 'Before.' }] },
    });
    for (const event of [messageOf(invocationId), before])
      await sessions.appendEvent({ session: ref, event, marks: { unfinished: invocationId } });
    expect((await outcomeOf(runner.resume({ ...ref, invocationId }))).error?.code).toBe('RESUME_DIVERGED');
    expect((await stored()).events).toHaveLength(2);
    expect((await stored()).marks).toMatchObject({ unfinished: invocationId });
  });
});

describe('A workflow that has ended before a joined message', () => {
  const rootWith = (...models: ScriptedLlm[]): SequentialAgent =>
    new SequentialAgent({
      name: 'root',
      subAgents: models.map((model, i) => new LlmAgent({ name: `agent${i}`, model })),
    });

  it('runs again in recover() if its process died before it did, and only once', async () => {
    const first = rootWith(new ScriptedLlm(says('A.')), new ScriptedLlm(says('B.')));
    const { runner, runtime, sessions, stored } = await createSetup(first);
    const { invocationId } = await runner.runToCompletion(hello);
    const event = { ...messageOf(invocationId), customMetadata: { joined: true } };
    await sessions.appendEvent({ session: ref, event, marks: { unfinished: invocationId } });
    // The next process dies between the two agents.
    const dyingAgent = rootWith(new ScriptedLlm(says('C.')), new ScriptedLlm(() => new Promise(() => {})));
    Object.defineProperty(sessions, 'isDurable', { value: true });
    const second = await createSetup(dyingAgent, { sessionService: sessions, runtime });
    const recovering = Array.fromAsync(second.runner.recover());
    await settle();
    await second.runner.close();
    await recovering;
    await runtime.advance(120_000);
    const third = rootWith(new ScriptedLlm(), new ScriptedLlm(says('D.')));
    const after = await createSetup(third, { sessionService: sessions, runtime });
    expect(await Array.fromAsync(after.runner.recover())).toMatchObject([{ outcome: 'completed' }]);
    const texts = textsIn((await stored()).events).filter((text) => text.startsWith('agent'));
    expect(texts).toEqual(['agent0: A.', 'agent1: B.', 'agent0: C.', 'agent1: D.']);
    expect(await Array.fromAsync(after.runner.recover())).toEqual([]);
  });
});

describe('context.sleep', () => {
  it('logs the error of an agent that fails after the wait, with its cause (contract 22)', async () => {
    const agent = agentOf('root', async function* (context) {
      await context.sleep(3_600_000);
      throw new RangeError('The agent has a bug.');
    });
    const { runner, runtime } = await createSetup(agent);
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'paused' });
    await runtime.advance(3_600_000);
    await runner.idle();
    expect(runtime.logs.map(({ message, fields }) => [message, fields])).toMatchObject([
      ['An invocation could not continue when it was due.', { sessionId: 's', code: 'AGENT_FAILED' }],
    ]);
    expect(runtime.logs[0]!.fields!['causes']).toMatchObject([{ error: 'RangeError: The agent has a bug.' }]);
  });

  it('pauses the run, and the process wakes it on time', async () => {
    const agent = agentOf('root', async function* (context) {
      await context.sleep(3_600_000);
      yield createEvent(
        { author: 'root', invocationId: context.invocationId, content: { role: 'model', parts: [{ text: 'Awake.' }] } },
        context.runtime,
      );
    });
    const { runner, runtime, stored } = await createSetup(agent);
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'paused', interrupts: [{ kind: 'timer' }] });
    await runtime.advance(3_600_000);
    await settle();
    await runner.idle();
    expect(textsIn((await stored()).events).at(-1)).toBe('root: Awake.');
  });

  it.each([
    ['continues soon after a computer slept beyond its end', 7_200, 600_000, 0],
    ['does not end before its time if the clock is set back', -7_200, 7_300_000, 1],
  ])('%s', async (_, jumpSeconds, passedMs, openInterrupts) => {
    const { runner, runtime, stored } = await createSetup(
      agentOf('root', async function* (context) {
        await context.sleep(7_200_000);
      }),
    );
    const now = runtime.now.bind(runtime);
    await runner.runToCompletion(hello);
    runtime.now = () => now() + jumpSeconds;
    await runtime.advance(passedMs);
    await runner.idle();
    expect((await stored()).marks).toMatchObject({ openInterrupts });
    expect(runtime.logs).toEqual([]);
    await runner.close();
  });

  it('is continued by another process after a restart', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const agent = agentOf('root', async function* (context) {
      await context.sleepUntil(2e9);
      yield createEvent(
        { author: 'root', invocationId: context.invocationId, content: { role: 'model', parts: [{ text: 'Awake.' }] } },
        context.runtime,
      );
    });
    const before = await createSetup(agent, { runtime, sessionService });
    await before.runner.runToCompletion(hello);
    await before.runner.close();
    await runtime.advance((2e9 - runtime.now()) * 1_000 + 1);
    const after = await createSetup(agent, { runtime, sessionService });
    expect(await Array.fromAsync(after.runner.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(textsIn((await sessionService.getSession(ref))!.events).at(-1)).toBe('root: Awake.');
  });

  it.each([
    ['another process has just tried it', 'root', 'waiting-for-retry'],
    ['the app does not have its agent', 'another', 'unknown-agent-or-tool'],
  ])('is skipped once by recover() if it is due and %s', async (_, name, reason) => {
    const sleeping = agentOf('root', async function* (context) {
      await context.sleep(3_600_000);
    });
    const { runner, runtime, sessions } = await createSetup(sleeping);
    const { invocationId } = await runner.runToCompletion(hello);
    await runner.close();
    await runtime.advance(3_601_000);
    const attempt = createEvent({ author: 'system', invocationId, customMetadata: { resumeAttempt: 1 } }, runtime);
    const session = (await sessions.getSession(ref))!;
    if (name === 'root') await sessions.appendEvent({ session, event: attempt });
    const subAgents = name === 'root' ? [] : [{ ...sleeping, name: 'inner' }];
    const after = await createSetup({ ...sleeping, name, subAgents }, { runtime, sessionService: sessions });
    const waits: number[] = [];
    const timer = runtime.timer.bind(runtime);
    runtime.timer = (ms, fn) => (waits.push(ms), timer(ms, fn));
    expect(await Array.fromAsync(after.runner.recover())).toMatchObject([{ outcome: 'skipped', reason }]);
    // A timer without a wait would resume it again and again.
    expect(waits).not.toContain(0);
    await after.runner.close();
  });

  it.each<[string, (context: InvocationContext) => Promise<void>, string]>([
    ['sleepUntil(Infinity)', (context) => context.sleepUntil(Infinity), 'a finite number of seconds'],
    ['sleepUntil(1e12)', (context) => context.sleepUntil(1e12), 'time must be a time in seconds since the epoch'],
    ['sleep(Infinity)', (context) => context.sleep(Infinity), 'ms must be a finite number of milliseconds above 0'],
    ['sleep(-1)', (context) => context.sleep(-1), 'ms must be a finite number of milliseconds above 0'],
    ['sleep(1e16)', (context) => context.sleep(1e16), 'ms must end before the year 10000'],
  ])('rejects %s with INVALID_INPUT and stores no timer (contract 42)', async (_call, wait, message) => {
    const agent = agentOf('root', async function* (context) {
      await wait(context);
    });
    const { runner } = await createSetup(agent);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(message) });
    expect(await runner.pendingInterrupts(ref)).toEqual([]);
  });

  it.each([100, 30])('pauses again if it is resumed %i seconds before its time', async (seconds) => {
    const time = 2e9;
    const agent = agentOf('root', async function* (context) {
      await context.sleepUntil(time);
      yield messageOf(context.invocationId);
    });
    const { runner, runtime, sessions, stored } = await createSetup(agent);
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    await runner.close();
    await runtime.advance((time - seconds - runtime.now()) * 1_000);
    const after = await createSetup(agent, { runtime, sessionService: sessions });
    const before = (await stored()).lastSeq;
    const result = await after.runner.resume({ ...ref, invocationId }).result;
    expect(result).toMatchObject({ status: 'paused', interrupts });
    expect((await stored()).lastSeq).toBe(before);
  });
});
