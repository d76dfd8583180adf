import { createEvent } from '@thole/core';
import type { Agent, Lease, LlmResponse } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { AgentTool, LlmAgent, Runner } from '@thole/runner';
import { calls, callsAll, FixedRuntime, ignores, says, ScriptedLlm, streams } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { demo, neverAnswers, session, sessionPath } from '../demo.ts';
import { allFrames, framesOf, describeFrame } from '../frames.ts';

const pathOf = (invocationId: string): string => `${sessionPath}/runs/${invocationId}/events`;

describe('GET …/runs/{invocation}/events', () => {
  it('streams an active run of this process, with partial events', async () => {
    const proceed = Promise.withResolvers<void>();
    const rootAgent: Agent = {
      name: 'slow',
      async *runAsync(context) {
        const id = 'event-x';
        const say = (text: string, partial: boolean): ReturnType<typeof createEvent> =>
          createEvent({
            id,
            author: 'slow',
            invocationId: context.invocationId,
            content: { parts: [{ text }] },
            partial,
          });
        yield say('Good ', true);
        await proceed.promise;
        yield say('evening.', true);
        yield { ...say('Good evening.', false), partial: undefined };
      },
    };
    const { run, get } = await demo({ onDisconnect: 'continue', rootAgent });
    const first = await run('/run_sse', { streaming: true });
    const followed = framesOf(await get(pathOf(first.headers.get('x-thole-invocation-id')!)));
    const words: string[] = [describeFrame((await followed.next()).value!)];
    // A reader that starts later receives the partial events of the answer from the start.
    const late = framesOf(await get(`${pathOf(first.headers.get('x-thole-invocation-id')!)}?after=1`));
    const lateWords: string[] = [describeFrame((await late.next()).value!)];
    proceed.resolve();
    for await (const frame of followed) words.push(describeFrame(frame));
    for await (const frame of late) lateWords.push(describeFrame(frame));
    expect(lateWords).toEqual(['Good ', 'evening.', '#2 Good evening.', ': done']);
    expect(words).toEqual(['Good ', 'evening.', '#2 Good evening.', ': done']);
    expect((await allFrames(first)).map(describeFrame)).toEqual(words);
  });

  it.each(['🏨', 'two\nlines', 'é'])(
    'streams an imported invocation with the id %j, without its header',
    async (id) => {
      const { get, post } = await demo();
      const content = { role: 'model', parts: [{ text: 'Hello.' }] };
      const events = [{ invocationId: id, author: 'concierge', content }];
      expect((await post('/apps/demo/users/ann/sessions', { sessionId: 'copy', events })).status).toBe(200);
      const response = await get(`/apps/demo/users/ann/sessions/copy/runs/${encodeURIComponent(id)}/events`);
      expect([response.status, response.headers.get('x-thole-invocation-id')]).toEqual([200, null]);
      expect((await allFrames(response)).map(describeFrame)).toEqual(['#1 Hello.', ': done']);
    },
  );

  it('streams a run of another process from the store until its lease ends (contract 40)', async () => {
    const sessions = new InMemorySessionService();
    const answered = Promise.withResolvers<LlmResponse>();
    const called = Promise.withResolvers<void>();
    const model = new ScriptedLlm(() => (called.resolve(), answered.promise));
    const elsewhere = new Runner({
      appName: 'demo',
      agent: new LlmAgent({ name: 'a', model }),
      sessionService: sessions,
    });
    const { get } = await demo({ sessionService: sessions });
    const run = elsewhere.runAsync({ ...session, newMessage: 'Hello', runConfig: { reader: 'detached' } });
    await called.promise;
    const response = await get(pathOf(run.invocationId));
    expect(response.status).toBe(200);
    answered.resolve(says('Good evening.') as LlmResponse);
    expect((await allFrames(response)).map(describeFrame)).toEqual(['#2 Good evening.', ': done']);
  });

  it('ends with LEASE_LOST if the process of the run has crashed', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    const { get } = await demo({ sessionService: sessions, runtime });
    const p = { holder: 'dead', policy: 'queue' as const, maxWaiting: 1, waitMs: 1, ttlMs: 30_000, cleanupMs: 1 };
    await sessions.leasing!.lease(session, { ...p, invocationId: 'invocation-x' });
    await sessions.appendEvent({
      session,
      event: createEvent(
        { invocationId: 'invocation-x', author: 'a', content: { parts: [{ text: 'Wait' }] } },
        runtime,
      ),
    });
    const frames = allFrames(await get(pathOf('invocation-x')));
    await runtime.advance(31_000);
    const words = (await frames).map(describeFrame);
    expect(words.filter((each) => !each.startsWith(':'))).toEqual(['#1 Wait', '! LEASE_LOST']);
  });

  it('ends with LEASE_LOST after an unanswered call, unless the call is long-running', async () => {
    const sessions = new InMemorySessionService();
    const { get } = await demo({ sessionService: sessions });
    const call = (invocationId: string, id: string, later: boolean): ReturnType<typeof createEvent> =>
      createEvent({
        ...{
          invocationId,
          author: 'a',
          content: { role: 'model', parts: [{ functionCall: { id, name: 'f', args: {} } }] },
        },
        ...(later && { longRunningToolIds: [id] }),
      });
    await sessions.appendEvent({ session, event: call('invocation-dead', 'c1', false) });
    await sessions.appendEvent({ session, event: call('invocation-done', 'c2', true) });
    expect((await allFrames(await get(pathOf('invocation-dead')))).map(describeFrame).at(-1)).toBe('! LEASE_LOST');
    expect((await allFrames(await get(pathOf('invocation-done')))).map(describeFrame).at(-1)).toBe(': done');
  });

  it('ends normally if a tool or an agent of a tool waits for a person (contract 40)', async () => {
    const ask = new FunctionTool({
      ...{ name: 'ask', description: 'Asks.', parameters: {} },
      execute: (_, context) => context.requestInput({ message: 'How many?' }),
    });
    const inner = new LlmAgent({ name: 'inner', model: new ScriptedLlm(calls('ask')), tools: [ask] });
    const model = new ScriptedLlm(callsAll(['ask'], ['inner', { request: 'Ask.' }]));
    const rootAgent = new LlmAgent({ name: 'root', model, tools: [ask, new AgentTool({ agent: inner })] });
    const { run, get } = await demo({ rootAgent, onDisconnect: 'continue' });
    const first = await run('/run_sse');
    expect((await allFrames(first)).map(describeFrame).at(-1)).toBe(': done');
    const again = await allFrames(await get(pathOf(first.headers.get('x-thole-invocation-id')!)));
    expect(again.map(describeFrame).slice(-2)).toEqual(['#4 adk_request_inputadk_request_input', ': done']);
  });

  it('ends normally if another process took the expired lease and finished between two reads', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    const { get } = await demo({ sessionService: sessions, runtime });
    const p = { policy: 'queue' as const, maxWaiting: 1, waitMs: 1, ttlMs: 30_000, cleanupMs: 1 };
    const content = { parts: [{ text: 'Done' }] };
    const event = createEvent({ invocationId: 'invocation-x', author: 'a', content }, runtime);
    const lease = async (holder: string): Promise<Lease> =>
      sessions.leasing!.lease(session, { ...p, holder, invocationId: 'invocation-x' });
    const { fence } = await lease('dead');
    await sessions.appendEvent({ session, event, fence, marks: { unfinished: 'invocation-x' } });
    const frames = allFrames(await get(pathOf('invocation-x')));
    await runtime.advance(31_000);
    // The process died before the release, so the next process has nothing to store.
    await (await lease('next')).release({ marks: { unfinished: null } });
    await runtime.advance(1_000);
    const words = (await frames).map(describeFrame);
    expect(words.filter((each) => !each.startsWith(': heart'))).toEqual(['#1 Done', ': done']);
  });

  it('sends stored events to a slow reader, and no event twice', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `part ${i} `);
    const { run, sessions } = await demo({
      ...{ onDisconnect: 'continue', limits: { runBufferChars: 2_000 } },
      answers: [streams(...texts)],
    });
    const response = await run('/run_sse', { streaming: true });
    await expect.poll(async () => (await sessions.getSession(session))!.events.length).toBe(2);
    const words = (await allFrames(response)).map(describeFrame);
    expect(words.slice(-2)).toEqual([`#2 ${texts.join('')}`, ': done']);
    expect(words.filter((each) => each.startsWith('#'))).toHaveLength(1);
    expect(words.length).toBeLessThan(20);
  });

  it('reads at most one large event in advance for a reader that is behind (contract 40)', async () => {
    const proceed = Promise.withResolvers<void>();
    const rootAgent: Agent = {
      name: 'clerk',
      async *runAsync({ invocationId }) {
        for (let i = 0; i < 8; i++) {
          const content = { parts: [{ text: 'x'.repeat(50_000) }] };
          yield createEvent({ invocationId, author: 'clerk', content });
        }
        await proceed.promise;
      },
    };
    const { run, get } = await demo({ onDisconnect: 'continue', rootAgent });
    const first = framesOf(await run('/run_sse'));
    const { event } = (await first.next()).value!;
    for (let i = 1; i < 8; i++) await first.next();
    const late = await get(pathOf(event!.invocationId), { 'last-event-id': '1' });
    const reader = late.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    proceed.resolve();
    expect(value!.length).toBeLessThan(60_000);
  });

  it('answers 404 for an unknown run and for a session of another user (contract 38)', async () => {
    const { run, get } = await demo({ answers: [says('Hello.')] });
    const invocation = (await run('/run_sse')).headers.get('x-thole-invocation-id')!;
    expect((await get(pathOf('invocation-nowhere'))).status).toBe(404);
    expect((await get(pathOf(invocation).replace('ann', 'bob'))).status).toBe(404);
  });

  it.each(['-1', '1.5', 'x', '1e9', `${2 ** 60}`])('rejects Last-Event-ID %s', async (id) => {
    const { get } = await demo();
    expect((await get(pathOf('invocation-x'), { 'last-event-id': id })).status).toBe(400);
  });
});

describe('POST …/runs/{invocation}/cancel', () => {
  it('cancels an active run, and returns false after its end', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const { run, post } = await demo({ onDisconnect: 'continue', answers: [neverAnswers(called)] });
    const responded = run('/run_sse');
    await called.promise;
    const response = await responded;
    const path = `${sessionPath}/runs/${response.headers.get('x-thole-invocation-id')}/cancel`;
    expect(await (await post(path, {})).json()).toEqual({ cancelled: true });
    expect((await allFrames(response)).map(describeFrame)).toEqual(['#2 RUN_ABORTED', '! RUN_ABORTED']);
    expect(await (await post(path, {})).json()).toEqual({ cancelled: false });
  });
});

describe('Handler.close', () => {
  it('aborts runs after the timeout, and rejects new runs', async () => {
    const { run, handler, get } = await demo({ answers: [ignores()] });
    const response = await run('/run_sse');
    const closed = handler.close({ timeoutMs: 50 });
    expect((await run('/run')).status).toBe(503);
    expect((await get('/health')).status).toBe(503);
    await closed;
    expect((await allFrames(response)).map(describeFrame)).toEqual(['#2 RUN_ABORTED', '! RUN_ABORTED']);
  });
});
