import { fails, FixedRuntime, ignores, says, ScriptedLlm, streams } from '@thole/testing';
import { LlmAgent } from '@thole/runner';
import { describe, expect, it } from 'vitest';
import { demo, neverAnswers, message, postInit } from '../demo.ts';

describe('POST /run', () => {
  it('returns the stored events of a run without the user’s message', async () => {
    const { run, sessions } = await demo({ answers: [says('Good evening.')] });
    const response = await run('/run');
    expect(response.status).toBe(200);
    const events = (await response.json()) as object[];
    const stored = await sessions.getSession({ appName: 'demo', userId: 'ann', sessionId: 's' });
    expect(events).toEqual(JSON.parse(JSON.stringify(stored!.events.slice(1))));
  });

  it('accepts a body in snake_case, and leaves state keys unchanged', async () => {
    const { post, sessions } = await demo({ answers: [says('Noted.')] });
    const parts = [{ text: 'Hello' }];
    const body = {
      user_id: 'ann',
      session_id: 's',
      new_message: { parts },
      state_delta: { room_type: { floor_no: 3 } },
    };
    expect((await post('/run', body)).status).toBe(200);
    const stored = await sessions.getSession({ appName: 'demo', userId: 'ann', sessionId: 's' });
    expect(stored!.state).toEqual({ room_type: { floor_no: 3 } });
  });

  it('rejects a body without appName if there are several apps', async () => {
    const app = (name: string): object => ({ name, rootAgent: new LlmAgent({ name: 'a', model: new ScriptedLlm() }) });
    const { run } = await demo({ apps: [app('demo'), app('other')] as never });
    const response = await run('/run', { appName: undefined });
    expect([response.status, await response.json()]).toEqual([
      400,
      { detail: 'body.appName must be the name of one of the apps.', code: 'INVALID_INPUT' },
    ]);
  });

  it.each([
    [404, 'NOT_FOUND', { appName: 'elsewhere' }],
    [404, 'SESSION_NOT_FOUND', { sessionId: 'elsewhere' }],
    [404, 'SESSION_NOT_FOUND', { userId: 'bob' }],
    [400, 'INVALID_INPUT', { newMessage: { parts: [{ functionCall: { name: 'f', args: {} } }] } }],
    [400, 'INVALID_INPUT', { newMessage: undefined }],
    [400, 'INVALID_INPUT', { userId: { $ne: '' } }],
    [403, 'FORBIDDEN', { stateDelta: { 'app:price': 1 } }],
    [413, 'VALUE_TOO_LARGE', { stateDelta: { plan: 'x'.repeat(2 ** 20) } }],
  ])('answers invalid runs with %i %s as a plain response on both routes (contract 38)', async (status, code, body) => {
    for (const path of ['/run', '/run_sse'] as const) {
      for (const onDisconnect of ['abort', 'continue'] as const) {
        const { run, sessions } = await demo({ onDisconnect });
        const response = await run(path, body);
        expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
        expect((await sessions.getSession({ appName: 'demo', userId: 'ann', sessionId: 's' }))!.events).toEqual([]);
      }
    }
  });

  it('names the route that creates a missing session', async () => {
    for (const path of ['/run', '/run_sse'] as const) {
      const { run } = await demo();
      const { detail } = (await (await run(path, { sessionId: 'elsewhere' })).json()) as { detail: string };
      expect(detail).toBe(
        'Session "elsewhere" of user "ann" does not exist in app "demo". Create it with POST /apps/{app}/users/{user}/sessions.',
      );
    }
  });

  it('does not ask to create a session that was deleted during the run', async () => {
    const ref = { appName: 'demo', userId: 'ann', sessionId: 's' };
    const { run, sessions } = await demo({
      answers: [async () => (await sessions.deleteSession(ref), says('Too late.'))],
    });
    const { detail } = (await (await run('/run', {})).json()) as { detail: string };
    expect(detail).toBe('Session "s" of user "ann" does not exist in app "demo".');
  });

  it('answers a failed run with the status of its error, without the cause', async () => {
    const { run } = await demo({ answers: [fails('MODEL_RATE_LIMITED')] });
    const response = await run('/run');
    expect(response.status).toBe(429);
    expect(Object.keys((await response.json()) as object)).toEqual(['detail', 'code']);
  });

  it('aborts the run when the client disconnects, unless onDisconnect is continue (contract 40)', async () => {
    for (const onDisconnect of ['abort', 'continue'] as const) {
      const called = Promise.withResolvers<AbortSignal>();
      const { run } = await demo({ onDisconnect, answers: [neverAnswers(called)], limits: { runMs: 200 } });
      const client = new AbortController();
      const answered = run('/run', {}, { signal: client.signal });
      const signal = await called.promise;
      client.abort();
      await answered;
      expect(signal.aborted).toBe(true);
      expect((signal.reason as { code: string }).code).toBe(
        onDisconnect === 'abort' ? 'RUN_ABORTED' : 'RUN_TIME_LIMIT',
      );
    }
  });

  it('aborts the run when the client disconnects, also with a runtime without afterMicrotasks', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const runtime = new FixedRuntime();
    expect(runtime).not.toHaveProperty('afterMicrotasks');
    const { run } = await demo({ runtime, answers: [neverAnswers(called)] });
    const client = new AbortController();
    const answered = run('/run', {}, { signal: client.signal });
    const signal = await called.promise;
    client.abort();
    await answered;
    expect(signal.reason).toMatchObject({ code: 'RUN_ABORTED' });
  });

  it('limits active runs, and does not count finished ones', async () => {
    const { run, handler } = await demo({
      answers: [ignores(), says('later')],
      limits: { concurrentRuns: 1, runMs: 300 },
    });
    const first = run('/run');
    const second = await run('/run');
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, null]);
    expect((await first).status).toBe(504);
    const third = await handler(new Request('http://localhost/run', postInit(message())));
    expect(third.status).toBe(200);
  });

  it('passes the result of deps to callbacks', async () => {
    const seen: unknown[] = [];
    const rootAgent = new LlmAgent({
      name: 'a',
      model: new ScriptedLlm(says('Hello.')),
      beforeModelCallback: ({ context }) => void seen.push(context.deps),
    });
    const { run } = await demo({ rootAgent, deps: (request, identity) => [request.headers.get('x-tenant'), identity] });
    await run('/run', {}, { headers: { 'x-tenant': 'north' } });
    expect(seen).toEqual([['north', { appName: 'demo', userId: 'ann' }]]);
  });

  it('returns no partial events with streaming', async () => {
    const { run } = await demo({ answers: [streams('Good ', 'evening.')] });
    const events = (await (await run('/run', { streaming: true })).json()) as { partial?: boolean }[];
    expect(events.map((event) => event.partial)).toEqual([undefined]);
  });
});
