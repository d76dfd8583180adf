import { getEventListeners } from 'node:events';
import { bytesOf } from '@thole/testing/http';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ClientError, createClient } from '../src/index.ts';
import { done, event, frame, hello, ref, serverOf, stream, textsOf, twoFrames } from './protocol-server.ts';

const resumed = '/apps/hotel/users/ada/sessions/lobby/runs/i-1/events';

describe('Client.run', () => {
  it('sends the message once, as a content, with all other members', async () => {
    const { client, server } = await serverOf([stream([frame(event('hi', 2)), done])]);
    const more = { streaming: true, stateDelta: { room: null }, functionCallEventId: 'e-9', customMetadata: { a: 1 } };
    await textsOf(client.run({ ...hello, ...more }));
    expect(server.requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      {
        method: 'POST',
        path: '/run_sse',
        body: { ...hello, ...more, newMessage: { role: 'user', parts: [{ text: 'hello' }] } },
      },
    ]);
  });

  it('sends a new id with each message, or the id of the request', async () => {
    const { client, server } = await serverOf(Array.from({ length: 4 }, () => stream([frame(event('hi', 2)), done])));
    await textsOf(client.run(hello));
    await textsOf(client.run(hello));
    await textsOf(client.run({ ...hello, messageId: 'm1' }));
    await textsOf(client.resume({ ...ref, invocationId: 'i-1' }));
    const [first, second, third, fourth] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect([first, second]).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^message-[0-9a-f]{32}$/)));
    expect(first).not.toBe(second);
    expect([third, fourth]).toEqual(['m1', undefined]);
  });

  it('reconnects after LEASE_LOST, because another process continues the run', async () => {
    const lost = 'data: {"error": "Lost.", "errorDetails": {"code": "LEASE_LOST", "retryable": false}}\n\n';
    const { client, server } = await serverOf([
      stream([frame(event('a', 2)), lost]),
      stream([frame(event('b', 3)), done]),
    ]);
    expect(await textsOf(client.run(hello))).toEqual(['a', 'b']);
    expect(server.requests[1]!.path).toBe(`${resumed}?after=2`);
  });

  it('discards partial events without their stored event at each end of a stream', async () => {
    const failed = 'data: {"error": "No.", "errorDetails": {"code": "MODEL_FAILED"}}\n\n';
    const partial = (text: string, id: string): string => frame(event(text, undefined, { id }));
    const { client } = await serverOf([
      stream([partial('lo', 'e-1')], 'cut'),
      stream([partial('Hel', 'e-2'), frame(event('Hello', 2)), partial('Wai', 'e-3'), done]),
      stream([partial('Bro', 'e-4'), failed]),
    ]);
    const discarded: string[] = [];
    const onDiscard = (id: string): void => void discarded.push(id);
    await textsOf(client.run({ ...hello, onDiscard }));
    expect(discarded).toEqual(['e-1', 'e-3']);
    await expect(textsOf(client.run({ ...hello, onDiscard }))).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(discarded).toEqual(['e-1', 'e-3', 'e-4']);
  });

  it('starts before it is read, and resolves invocationId before the first event', async () => {
    const { client } = await serverOf([stream([], 'silence')]);
    const run = client.run(hello);
    expect(await run.invocationId).toBe('i-1');
    await run.return();
  });

  it('reads invocationId from the first event if the header is missing', async () => {
    const { client } = await serverOf([
      { headers: { 'content-type': 'text/event-stream' }, body: [frame(event('a', 2))], ending: 'cut' },
      stream([frame(event('b', 3)), done]),
    ]);
    const run = client.run(hello);
    expect(await textsOf(run)).toEqual(['a', 'b']);
    expect(await run.invocationId).toBe('i-1');
  });

  it('rejects invocationId if the run ends or is aborted before its first event', async () => {
    let answered = (): void => {};
    const silent = { headers: { 'content-type': 'text/event-stream' } };
    const failed = 'data: {"error": "Full.", "errorDetails": {"code": "BUSY"}}\n\n';
    const { client } = await serverOf(
      [
        { ...silent, body: [done] },
        { ...silent, body: [failed] },
        { ...silent, body: [': heartbeat\n\n'], ending: 'silence' },
      ],
      { fetch: (...p) => fetch(...p).finally(() => answered()) },
    );
    const empty = client.run(hello);
    expect(await textsOf(empty)).toEqual([]);
    await expect(empty.invocationId).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    const failing = client.run(hello);
    await expect(failing.next()).rejects.toMatchObject({ code: 'BUSY' });
    await expect(failing.invocationId).rejects.toMatchObject({ code: 'BUSY' });
    const aborted = client.run(hello);
    await new Promise<void>((resolve) => (answered = () => setImmediate(resolve)));
    aborted.abort('enough');
    await expect(aborted.invocationId).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('returns partial and stored events in order, for chunks of any size', async () => {
    const frames = [event('Zim…mer'), event(' für 二'), event('Zimmer für 二', 2), event('Danke 🏨', 3)].map(frame);
    const { client } = await serverOf([stream(bytesOf(`: heartbeat\n\n${frames.join(': heartbeat\n\n')}${done}`, 3))]);
    const run = client.run(hello);
    expect(await textsOf(run)).toEqual(['Zim…mer…', ' für 二…', 'Zimmer für 二', 'Danke 🏨']);
    expect(run.lastSeq).toBe(3);
  });

  it('joins the two frames of one event', async () => {
    const { client } = await serverOf([stream([...twoFrames('saved', 2), done])]);
    const [saved, ...others] = await Array.fromAsync(client.run(hello));
    expect(saved).toMatchObject({
      content: { parts: [{ text: 'saved' }] },
      actions: { artifactDelta: { 'menu.txt': 3 } },
    });
    expect(others).toEqual([]);
  });

  it('returns an event without an id unchanged if no second frame follows', async () => {
    const bare = (text: string): string =>
      `data: ${JSON.stringify({ ...event(text, 2), id: text, seq: undefined })}\n\n`;
    const { client } = await serverOf([stream([bare('a'), bare('b'), frame(event('c', 2)), bare('d'), done])]);
    expect(await textsOf(client.run(hello))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('throws the error of the last frame after all events, and does not reconnect', async () => {
    const failed = {
      error: 'Too many requests.',
      errorDetails: { code: 'MODEL_RATE_LIMITED', retryable: true, retryAfterMs: 9 },
    };
    const { client, server } = await serverOf([stream([frame(event('a', 2)), `data: ${JSON.stringify(failed)}\n\n`])]);
    const run = client.run(hello);
    expect((await run.next()).value).toMatchObject({ seq: 2 });
    await expect(run.next()).rejects.toMatchObject({
      ...{
        name: 'ClientError',
        detail: 'Too many requests.',
        code: 'MODEL_RATE_LIMITED',
        retryable: true,
        retryAfterMs: 9,
      },
      status: undefined,
    });
    expect(await run.next()).toEqual({ value: undefined, done: true });
    expect(server.requests.length).toBe(1);
  });

  it('rejects the iterable and invocationId if the run does not start', async () => {
    const { client, server } = await serverOf([{ status: 503, body: '{"detail": "Full.", "code": "BUSY"}' }]);
    const run = client.run(hello);
    await expect(run.invocationId).rejects.toMatchObject({ status: 503, code: 'BUSY', retryable: true });
    await expect(run.next()).rejects.toMatchObject({ status: 503, detail: 'Full.' });
    await expect(run.cancel()).rejects.toMatchObject({ status: 503 });
    expect(server.requests.length).toBe(1);
  });

  it('names the missing body of a fetch that does not stream, as in React Native', async () => {
    const withoutBody: typeof fetch = async (...request) =>
      new Proxy(await fetch(...request), {
        get: (response, name) => (name === 'body' ? undefined : Reflect.get(response, name)),
      });
    const { client } = await serverOf([stream([done])], { fetch: withoutBody });
    await expect(textsOf(client.run(hello))).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
      detail: 'The response to /run_sse has no body. Pass a fetch that streams, such as expo/fetch.',
    });
  });

  it('rejects a response that is not a stream, and an event that is not JSON', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<p>Log in</p>' };
    const { client, server } = await serverOf([page, stream(['data: {"a\n\n']), stream(['data: 7\n\n'])]);
    for (let i = 0; i < 3; i++)
      await expect(textsOf(client.run(hello))).rejects.toMatchObject({ code: 'INVALID_RESPONSE', retryable: false });
    expect(server.requests.length).toBe(3);
  });
});

describe('Client.run with a lost connection', () => {
  it('reads the rest after the last seq, each event once (contract 40)', async () => {
    for (const ending of ['cut', 'end'] as const) {
      const { client, server } = await serverOf([
        stream([frame(event('a', 2)), frame(event('b', 3)), frame(event('half'))], ending),
        stream([frame(event('b', 3)), frame(event('c', 4)), `id: 5\ndata: {"unfinished`], ending),
        stream([frame(event('d', 5)), done]),
      ]);
      const reconnects: object[] = [];
      const run = client.run({ ...hello, onReconnect: ({ attempt, error }) => reconnects.push([attempt, error.code]) });
      expect(await textsOf(run)).toEqual(['a', 'b', 'half…', 'c', 'd']);
      expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'POST /run_sse',
        `GET ${resumed}?after=3`,
        `GET ${resumed}?after=4`,
      ]);
      expect(reconnects).toEqual([
        [1, 'CONNECTION_LOST'],
        [1, 'CONNECTION_LOST'],
      ]);
    }
  });

  it('reads from the beginning if no event was stored yet', async () => {
    const { client, server } = await serverOf([
      stream([frame(event('a'))], 'cut'),
      stream([frame(event('ab', 2)), done]),
    ]);
    expect(await textsOf(client.run(hello))).toEqual(['a…', 'ab']);
    expect(server.requests[1]!.path).toBe(resumed);
  });

  it('returns an event once if the connection was lost between its two frames', async () => {
    const [first, second] = twoFrames('menu', 3);
    const { client } = await serverOf([stream([frame(event('a', 2)), first], 'cut'), stream([first, second, done])]);
    expect(await textsOf(client.run(hello))).toEqual(['a', 'menu']);
  });

  it('throws the error of a run that failed in the meantime', async () => {
    const failed = 'data: {"error": "Aborted.", "errorDetails": {"code": "RUN_ABORTED", "retryable": false}}\n\n';
    const { client } = await serverOf([stream([frame(event('a', 2))], 'cut'), stream([failed])]);
    await expect(textsOf(client.run(hello))).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });

  it('reconnects to an unavailable server, and stops at a permanent error', async () => {
    const reconnects: unknown[] = [];
    let sent = 0;
    const { client, server } = await serverOf(
      [
        stream([], 'cut'),
        { status: 503, body: 'a proxy’s page' },
        { status: 404, body: '{"detail": "No such run.", "code": "NOT_FOUND"}' },
      ],
      { fetch: (...p) => (++sent === 3 ? Promise.reject(new TypeError('away')) : fetch(...p)) },
    );
    const run = client.run({
      ...hello,
      onReconnect: ({ attempt, error }) => reconnects.push([attempt, error.status ?? error.code]),
    });
    await expect(textsOf(run)).rejects.toMatchObject({ status: 404, detail: 'No such run.' });
    expect(reconnects).toEqual([
      [1, 'CONNECTION_LOST'],
      [2, 503],
      [3, 'UNREACHABLE'],
    ]);
    expect(server.requests.length).toBe(3);
  });

  it('throws CONNECTION_LOST after the maximum of attempts without a stored event', async () => {
    const always = (): ReturnType<typeof stream> => stream([frame(event('again'))], 'cut');
    const { client, server } = await serverOf([always, always, always, always], {
      reconnect: { attempts: 3, delayMs: 1 },
    });
    await expect(textsOf(client.run(hello))).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
    expect(server.requests.length).toBe(4);
  });

  it('does not reconnect with attempts 0', async () => {
    const { client, server } = await serverOf([stream([], 'cut')], { reconnect: { attempts: 0 } });
    await expect(textsOf(client.run(hello))).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    expect(server.requests.length).toBe(1);
  });

  it('doubles the delay up to the maximum, with a random part, and respects Retry-After', async () => {
    const runtime = new FixedRuntime();
    const full = { status: 429, headers: { 'retry-after': '30' }, body: '{"detail": "Slower."}' };
    const { client, server } = await serverOf(
      [
        stream([], 'cut'),
        ...Array.from({ length: 4 }, () => stream([], 'cut')),
        full,
        stream([frame(event('a', 2)), done]),
      ],
      { runtime, reconnect: { delayMs: 100, maxDelayMs: 1000 } },
    );
    const waits: number[] = [];
    let notify = (): void => {};
    const run = client.run({ ...hello, onReconnect: ({ delayMs }) => (waits.push(delayMs), notify()) });
    const reading = textsOf(run);
    for (let i = 0; i < 6; i++) {
      if (waits.length === i) await new Promise<void>((resolve) => (notify = resolve));
      await runtime.advance(waits[i]! - 1);
      expect(server.requests.length).toBe(i + 1);
      await runtime.advance(1);
    }
    expect(await reading).toEqual(['a']);
    const maximum = [100, 200, 400, 800, 1000];
    expect(waits.slice(0, 5)).not.toEqual(maximum);
    for (const [i, limit] of maximum.entries())
      expect([waits[i]! > limit / 2, waits[i]! <= limit]).toEqual([true, true]);
    expect(waits[5]).toBe(30_000);
  });

  it('resets the attempts after a connection that received data for maxDelayMs', async () => {
    const runtime = new FixedRuntime();
    let proceed = (): void => {};
    async function* long(): AsyncGenerator<string> {
      yield frame(event('a'));
      await new Promise<void>((resolve) => (proceed = resolve));
      yield frame(event('b'));
    }
    const answers = Array.from({ length: 3 }, () => () => stream(long(), 'cut'));
    const { client } = await serverOf([...answers, stream([frame(event('ab', 2)), done])], {
      ...{ runtime, reconnect: { attempts: 1, delayMs: 0, maxDelayMs: 10_000 } },
    });
    const attempts: number[] = [];
    const onReconnect = ({ attempt }: { attempt: number }): void => {
      attempts.push(attempt);
      setImmediate(() => void runtime.advance(0));
    };
    for await (const { content } of client.run({ ...hello, onReconnect })) {
      if (content?.parts?.[0]?.text !== 'a') continue;
      await runtime.advance(10_000);
      proceed();
    }
    expect(attempts).toEqual([1, 1, 1]);
  });

  it('does not reset the attempts after a long silent connection', async () => {
    const runtime = new FixedRuntime();
    const headers = { 'content-type': 'text/event-stream', 'x-thole-invocation-id': 'i-1' };
    const answered = (start: (controller: ReadableStreamDefaultController) => void): Response =>
      new Response(new ReadableStream({ start }), { headers });
    const answers = [
      () => answered((controller) => controller.error(new Error('cut'))),
      () => answered((controller) => controller.enqueue(new TextEncoder().encode(': heartbeat\n\n'))),
      () => new Promise<Response>(() => {}),
    ];
    const client = createClient({
      ...{ baseUrl: '', runtime, idleTimeoutMs: 20_000, timeoutMs: 20_000, reconnect: { attempts: 2, delayMs: 0 } },
      fetch: async () => answers.shift()!(),
    });
    const reconnects: unknown[] = [];
    const run = client.run({ ...hello, onReconnect: ({ attempt, error }) => reconnects.push([attempt, error.code]) });
    const error = run.next().catch((thrown: unknown) => thrown);
    for (let i = 0; i < 5; i++) await runtime.advance(i === 0 ? 0 : 20_000);
    expect(reconnects).toEqual([
      [1, 'CONNECTION_LOST'],
      [2, 'CONNECTION_LOST'],
    ]);
    expect(await error).toMatchObject({ code: 'TIMEOUT', retryable: true });
  });

  it('closes the connection after a time limit, also if the events are never read', async () => {
    const runtime = new FixedRuntime();
    let signal: AbortSignal | undefined;
    const client = createClient({
      ...{ baseUrl: '', runtime, timeoutMs: 20_000 },
      fetch: (_, init) => ((signal = init?.signal ?? undefined), new Promise<Response>(() => {})),
    });
    const { invocationId } = client.run(hello);
    await runtime.advance(20_000);
    await expect(invocationId).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(signal?.aborted).toBe(true);
  });

  it('treats a silent connection as lost, but only while it is read', async () => {
    const runtime = new FixedRuntime();
    const { client, server } = await serverOf(
      [stream([frame(event('a', 2))], 'silence'), stream([frame(event('b', 3)), done])],
      {
        ...{ runtime, idleTimeoutMs: 5000, reconnect: { delayMs: 0 } },
      },
    );
    const run = client.run(hello);
    await run.next();
    await runtime.advance(60_000);
    const next = run.next();
    await runtime.advance(4999);
    expect(server.requests.length).toBe(1);
    await runtime.advance(1);
    expect((await next).value).toMatchObject({ seq: 3 });
    await server.allEnded();
    await run.return();
    expect(runtime.pending).toBe(0);
  });
});

describe('ClientRun', () => {
  it('closes the connection after a break', async () => {
    const { client, server } = await serverOf([stream([frame(event('a', 2))], 'silence')]);
    for await (const _ of client.run(hello)) break;
    await server.allEnded();
    expect(server.requests.length).toBe(1);
  });

  it('closes the connection with return, also while it waits for an event', async () => {
    const { client, server } = await serverOf([stream([], 'silence')]);
    const run = client.run(hello);
    const next = run.next();
    await run.invocationId;
    await run.return();
    expect(await next).toEqual({ value: undefined, done: true });
    await server.allEnded();
  });

  it('closes the connection with abort, and throws ABORTED with the reason', async () => {
    for (const reads of [true, false]) {
      const { client, server } = await serverOf([stream([frame(event('a', 2)) + frame(event('b', 3))], 'silence')]);
      const run = client.run(hello);
      await run.next();
      const next = reads ? run.next().then(() => run.next()) : undefined;
      next?.catch(() => {});
      if (!reads) await run.invocationId;
      run.abort('enough');
      await server.allEnded();
      const error = await (next ?? run.next()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'ABORTED', cause: 'enough' });
      expect(server.requests.length).toBe(1);
    }
  });

  it('closes the connection with the signal, also before the response and during a delay', async () => {
    for (const answer of [stream([], 'silence'), { ending: 'silence' as const }, stream([], 'cut')]) {
      const { client, server } = await serverOf([answer], { reconnect: { delayMs: 1e6, maxDelayMs: 1e6 } });
      const controller = new AbortController();
      let notify = (): void => {};
      const paused = new Promise<void>((resolve) => (notify = resolve));
      const run = client.run({ ...hello, signal: controller.signal, onReconnect: () => notify() });
      const next = run.next();
      next.catch(() => {});
      if (answer.ending === 'cut') await paused;
      else if ('headers' in answer) await run.invocationId;
      controller.abort('closed');
      await expect(next).rejects.toMatchObject({ code: 'ABORTED', cause: 'closed' });
      await server.allEnded();
    }
  });

  it('sends nothing if the signal is already aborted', async () => {
    const { client, server } = await serverOf([]);
    await expect(client.run({ ...hello, signal: AbortSignal.abort() }).next()).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(server.requests).toEqual([]);
  });

  it('cancels a response that arrives after abort', async () => {
    let cancelled = 0;
    const response = Promise.withResolvers<Response>();
    const { client } = await serverOf([], { fetch: () => response.promise });
    const run = client.run(hello);
    run.abort();
    await expect(run.next()).rejects.toMatchObject({ code: 'ABORTED' });
    const body = new ReadableStream({ cancel: () => void cancelled++ }, { highWaterMark: 0 });
    response.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    await new Promise(setImmediate);
    expect(cancelled).toBe(1);
  });

  it('reads no more events than requested', async () => {
    let created = 0;
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new TextEncoder().encode(frame(event('x', ++created)))) },
      { highWaterMark: 0 },
    );
    const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const { client } = await serverOf([], { fetch: async () => answer });
    const run = client.run(hello);
    for (let i = 0; i < 10; i++) await run.next();
    await new Promise(setImmediate);
    expect(created).toBe(10);
    await run.return();
  });
});

describe('ClientRun.cancel', () => {
  it('stops the run on the server, and continues to read to its end', async () => {
    const failed = 'data: {"error": "Cancelled.", "errorDetails": {"code": "RUN_ABORTED"}}\n\n';
    let end = (): void => {};
    const cancelled = new Promise<void>((resolve) => (end = resolve));
    async function* untilCancelled(): AsyncGenerator<string> {
      yield frame(event('a', 2));
      await cancelled;
      yield failed;
    }
    const { client, server } = await serverOf([
      stream(untilCancelled()),
      () => (end(), { body: '{"cancelled": true}' }),
    ]);
    const run = client.run(hello);
    await run.next();
    expect(await run.cancel()).toBe(true);
    await expect(run.next()).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(server.requests[1]).toMatchObject({ method: 'POST', path: resumed.replace('events', 'cancel') });
  });

  it('has a separate time limit while the run has not started', async () => {
    const { client } = await serverOf([{ ending: 'silence' }]);
    const run = client.run(hello);
    await expect(run.cancel({ timeoutMs: 5 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await run.return();
  });
});

describe('Client.resume', () => {
  it('reads an existing run from its beginning or after an event', async () => {
    const { client, server } = await serverOf([
      stream([frame(event('a', 2)), done]),
      stream([frame(event('a', 2)), frame(event('b', 3)), done]),
    ]);
    expect(await textsOf(client.resume({ ...ref, invocationId: 'i-1' }))).toEqual(['a']);
    const run = client.resume({ ...ref, invocationId: 'i-1', after: 2 });
    expect([run.lastSeq, await run.invocationId]).toEqual([2, 'i-1']);
    expect(await textsOf(run)).toEqual(['b']);
    expect(server.requests.map(({ path }) => path)).toEqual([resumed, `${resumed}?after=2`]);
  });

  it('reconnects if the server does not answer the first request', async () => {
    let sent = 0;
    const { client } = await serverOf([{ status: 502 }, stream([frame(event('a', 2)), done])], {
      fetch: (...p) => (++sent === 1 ? Promise.reject(new TypeError('away')) : fetch(...p)),
    });
    expect(await textsOf(client.resume({ ...ref, invocationId: 'i-1' }))).toEqual(['a']);
  });
});

describe('ClientCallOptions.signal', () => {
  it('removes its listeners from a signal', async () => {
    const { client } = await serverOf([stream([frame(event('a', 2)), done]), { body: '[]' }]);
    const { signal } = new AbortController();
    await textsOf(client.run({ ...hello, signal }));
    await client.apps.list({ signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('ClientError.is', () => {
  it('recognizes errors of another copy of the package', () => {
    class Foreign extends Error {
      code = 'CONNECTION_LOST';
      constructor() {
        super();
        Object.defineProperty(this, Symbol.for('thole.client-error'), { value: true });
      }
    }
    expect([
      ClientError.is(new Foreign()),
      ClientError.is(new Foreign(), 'CONNECTION_LOST'),
      ClientError.is(new Foreign(), 'X'),
    ]).toEqual([true, true, false]);
    expect([ClientError.is(new Error('x')), ClientError.is(null), ClientError.is('x')]).toEqual([false, false, false]);
  });
});
