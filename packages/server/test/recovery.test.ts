import { createEvent, systemRuntime } from '@thole/core';
import type { LogFields, Runtime } from '@thole/core';
import { withRuntime } from '@thole/core/kit';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, FixedRuntime, hangs, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createHandler, startRecovery } from '../src/index.ts';
import { bookingDesk } from './booking-desk.ts';
import { demo, neverAnswers, session, sessionPath } from './demo.ts';
import type { Demo } from './demo.ts';
import { allFrames, framesOf, describeFrame } from './frames.ts';

const EVENTS = `${sessionPath}/runs/invocation-x/events`;
const lease = { holder: 'dead', policy: 'queue', maxWaiting: 1, waitMs: 1, ttlMs: 30_000, cleanupMs: 1 } as const;

interface DeadRunDemo extends Demo {
  runtime: FixedRuntime;
  logged: LogFields[];
}

/** Creates a handler with a session in which a process died after it had stored the message of `invocation-x`. */
async function createWithDeadRun(options: Parameters<typeof demo>[0] = {}): Promise<DeadRunDemo> {
  const runtime = new FixedRuntime();
  const logged: LogFields[] = [];
  const log = (message: string, fields: LogFields = {}): void => void logged.push({ message, ...fields });
  const logger = { debug: log, info: log, warn: log, error: log };
  const sessionService = new InMemorySessionService({ runtime });
  await sessionService.createSession({ ...session, sessionId: 'other' });
  const answers = [says('Recovered.')];
  const served = await demo({ sessionService, answers, runtime: withRuntime(runtime, { logger }), ...options });
  const { fence } = await sessionService.leasing!.lease(session, { ...lease, invocationId: 'invocation-x' });
  const event = createEvent(
    { invocationId: 'invocation-x', author: 'user', content: { role: 'user', parts: [{ text: 'Hello' }] } },
    runtime,
  );
  await sessionService.appendEvent({ session, event, fence, marks: { unfinished: 'invocation-x' } });
  return { ...served, runtime, logged };
}

describe('HandlerOptions.recover', () => {
  it('continues an invocation of a dead process, and logs its ids', async () => {
    const { sessions, runtime, logged } = await createWithDeadRun({ recover: true });
    await runtime.advance(29_000);
    expect((await sessions.getSession(session))!.events).toHaveLength(1);
    await runtime.advance(100_000);
    const { events } = (await sessions.getSession(session))!;
    expect(events.at(-1)).toMatchObject({ invocationId: 'invocation-x', content: { parts: [{ text: 'Recovered.' }] } });
    expect(logged.filter(({ message }) => message === 'Recovered an invocation.')).toEqual([
      { message: 'Recovered an invocation.', ...session, invocationId: 'invocation-x', outcome: 'completed' },
    ]);
  });

  it('stops when the handler is closed, also for runners of the caller', async () => {
    const { sessions, runtime } = await createWithDeadRun();
    const agent = new LlmAgent({ name: 'a', model: new ScriptedLlm(says('Recovered.')) });
    const runner = new Runner({ appName: 'demo', agent, sessionService: sessions, runtime });
    const handler = createHandler({ apps: [runner], runtime, recover: { everyMs: 10_000 } });
    await handler.close({ timeoutMs: 0 });
    await runtime.advance(200_000);
    expect((await sessions.getSession(session))!.events).toHaveLength(1);
    await runner.close();
  });

  it('is off by default', async () => {
    const { sessions, runtime } = await createWithDeadRun();
    await runtime.advance(200_000);
    expect((await sessions.getSession(session))!.events).toHaveLength(1);
  });

  it('passes the values of contextFor and the limits of the handler to resumed runs', async () => {
    const found: unknown[] = [];
    const { runtime, sessions, logged } = await createWithDeadRun({
      answers: [hangs()],
      limits: { runMs: 5_000 },
      recover: { contextFor: (each) => (found.push(each), undefined) },
    });
    await runtime.advance(200_000);
    expect(found).toContainEqual({ ref: session, invocationId: 'invocation-x' });
    expect((await sessions.getSession(session))!.events.at(-1)!.errorCode).toBe('RUN_TIME_LIMIT');
    expect(logged).toContainEqual(expect.objectContaining({ message: 'Recovery failed.', code: 'RUN_TIME_LIMIT' }));
  });

  it.each([7, 'yes', { everyMs: -1 }, { everyMS: 5 }, { contextFor: 1 }])(
    'rejects %j (contract 42)',
    async (recover) => {
      await expect(demo({ recover: recover as never })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );
});

describe('Handler.close with a durable store', () => {
  it.each(['abort', 'continue'] as const)(
    'lets another process continue runs (onDisconnect %s)',
    async (onDisconnect) => {
      const durable = new InMemorySessionService();
      Object.defineProperty(durable, 'isDurable', { value: true });
      const { run, handler } = await demo({ sessionService: durable, onDisconnect, answers: [hangs()] });
      const response = await run('/run_sse');
      await handler.close({ timeoutMs: 0 });
      // Without a last frame, clients reconnect.
      expect(await response.text()).toBe('');
      const [stored] = (await durable.getSession(session))!.events;
      const next = await demo({ sessionService: durable, answers: [says('Continued.')], recover: true, isNext: true });
      const words = (await allFrames(await next.get(EVENTS.replace('invocation-x', stored!.invocationId)))).map(
        describeFrame,
      );
      expect(words).toEqual(['#2 ', '#3 Continued.', ': done']);
    },
  );

  it.each(['abort', 'continue'] as const)(
    'answers runs that have not begun to respond with SERVER_BUSY (onDisconnect %s)',
    async (onDisconnect) => {
      const sessionService = new InMemorySessionService();
      Object.defineProperty(sessionService, 'isDurable', { value: true });
      const called = Promise.withResolvers<AbortSignal>();
      const { run, handler } = await demo({ sessionService, onDisconnect, answers: [neverAnswers(called)] });
      const active = run('/run');
      await called.promise;
      const queued = run('/run_sse');
      await new Promise((resolve) => setTimeout(resolve, 5));
      await handler.close({ timeoutMs: 0 });
      for (const response of [await active, await queued])
        expect([response.status, await response.json()]).toMatchObject([
          503,
          { code: 'SERVER_BUSY', detail: expect.stringContaining('Idempotency-Key') },
        ]);
      expect((await sessionService.getSession(session))!.events).toHaveLength(1);
    },
  );
});

describe('startRecovery', () => {
  it('logs an error of runners, and calls it again after the pause', async () => {
    const runtime = new FixedRuntime();
    let calls = 0;
    const runners = (): never => {
      calls++;
      throw new Error('No registry.');
    };
    const recovery = startRecovery({ runners, runtime, everyMs: 1_000 });
    await runtime.advance(3_000);
    recovery.stop();
    expect(calls).toBeGreaterThan(1);
    expect(runtime.logs[0]).toMatchObject({
      level: 'warn',
      message: 'Recovery failed.',
      fields: { error: 'Error: No registry.' },
    });
  });

  it('skips a runner whose service cannot list waiting sessions', async () => {
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    const runtime: Runtime = withRuntime(systemRuntime(), {
      logger: { debug: () => log('debug'), info: log, warn: log, error: log },
    });
    const sessionService = Object.assign(new InMemorySessionService(), { listWaitingSessions: undefined });
    const { rootAgent } = bookingDesk(calls('book'));
    const runner = new Runner({ appName: 'demo', agent: rootAgent, sessionService });
    const recovery = startRecovery({ runners: () => [runner], runtime });
    await expect.poll(() => logged).toEqual(['debug']);
    recovery.stop();
  });
});

describe('GET …/runs/{invocation}/events of a process that died', () => {
  it('stays open with heartbeats until another process continues the invocation', async () => {
    const { get, runtime } = await createWithDeadRun({ recover: true });
    const frames = framesOf(await get(EVENTS));
    const words: string[] = [];
    const reading = (async () => {
      for await (const frame of frames) words.push(describeFrame(frame));
    })();
    await runtime.advance(31_000);
    expect(new Set(words)).toEqual(new Set([': heartbeat']));
    await runtime.advance(100_000);
    await reading;
    expect(words.filter((each) => each !== ': heartbeat')).toEqual(['#2 ', '#3 Recovered.', ': done']);
  });
});

describe('GET …/runs/{invocation}/events of a paused invocation', () => {
  it.each(['abort', 'continue'] as const)('ends with the pause (onDisconnect %s)', async (onDisconnect) => {
    const { rootAgent } = bookingDesk(calls('book', { room: 7 }), says('Booked.'));
    const { run, get } = await demo({ rootAgent, onDisconnect });
    const first = await run('/run_sse');
    const path = `${sessionPath}/runs/${first.headers.get('x-thole-invocation-id')}/events`;
    const words = (await allFrames(first)).map(describeFrame);
    expect(words.map((each) => each.replace(/^#\d+ /, ''))).toEqual([
      'book',
      'book()',
      'adk_request_confirmation',
      ': done',
    ]);
    expect((await allFrames(await get(path))).map(describeFrame)).toEqual(words);
  });
});
