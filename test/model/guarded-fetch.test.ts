import { getEventListeners } from 'node:events';
import { TholeError } from '@thole/core';
import { guardedFetch } from '@thole/core/kit';
import type { FetchGuard, RefusedAnswer } from '@thole/core/kit';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { Pieces, until, useServer } from './use-server.ts';

function createGuard(options: Partial<FetchGuard> = {}): { fetch: typeof globalThis.fetch; runtime: FixedRuntime } {
  const runtime = new FixedRuntime();
  const refuse = ({ status }: RefusedAnswer): TholeError => new TholeError('MODEL_BAD_REQUEST', `It said ${status}.`);
  const limits = { timeoutMs: 5000, idleTimeoutMs: 1000 };
  return { runtime, fetch: guardedFetch({ fetch: globalThis.fetch, ...limits, runtime, refuse, ...options }) };
}

const errorOf = (promise: Promise<unknown>): Promise<TholeError> =>
  promise.then(
    () => expect.unreachable('It did not fail.'),
    (error: TholeError) => error,
  );

describe('guardedFetch without an answer', () => {
  it('throws MODEL_TIMEOUT and closes the connection if no answer begins in time', async () => {
    const server = await useServer({ ending: 'silence' });
    const { fetch, runtime } = createGuard();
    const error = errorOf(fetch(server.url));
    await until(() => server.requests.length === 1);
    await runtime.advance(4999);
    expect(server.open).toBe(1);
    await runtime.advance(1);
    expect(await error).toMatchObject({ code: 'MODEL_TIMEOUT', retryable: true });
    await server.allEnded();
    expect(runtime.pending).toBe(0);
  });

  it('throws MODEL_TIMEOUT and closes the connection after the idle limit during a read', async () => {
    const server = await useServer({ body: ['one'], ending: 'silence' });
    const { fetch, runtime } = createGuard();
    const reader = (await fetch(server.url)).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('one');
    const error = errorOf(reader.read());
    await runtime.advance(999);
    expect(server.open).toBe(1);
    await runtime.advance(2);
    expect((await error).code).toBe('MODEL_TIMEOUT');
    await server.allEnded();
    expect(runtime.pending).toBe(0);
  });

  it('avoids the word time-out, which SDKs search for', async () => {
    const { fetch, runtime } = createGuard({ fetch: () => new Promise(() => {}) });
    const error = errorOf(fetch('http://localhost/'));
    await runtime.advance(5000);
    expect(String(await error)).not.toMatch(/timed? ?out/i);
  });
});

describe('guardedFetch with a slow answer', () => {
  it('does not time out while bytes arrive, including keep-alives', async () => {
    const pieces = new Pieces();
    const server = await useServer({ body: pieces });
    const { fetch, runtime } = createGuard();
    const reader = (await fetch(server.url)).body!.getReader();
    for (let i = 0; i < 5; i++) {
      const read = reader.read();
      await runtime.advance(900);
      pieces.add(': keep-alive\n\n');
      expect((await read).done).toBe(false);
    }
    expect(runtime.monotonic()).toBe(4500);
    await reader.cancel();
    await server.allEnded();
  });

  it('does not time out because its reader is slow', async () => {
    const server = await useServer({ body: ['one', 'two', 'three'] });
    const { fetch, runtime } = createGuard();
    const response = await fetch(server.url);
    await runtime.advance(100_000);
    let text = '';
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(bytes);
      await runtime.advance(100_000);
    }
    expect(text).toBe('onetwothree');
    expect(runtime.pending).toBe(0);
  });

  it('waits longer than the maximum of a platform’s timer', async () => {
    const days = 30 * 24 * 3_600_000;
    const { fetch, runtime } = createGuard({ fetch: () => new Promise(() => {}), timeoutMs: days });
    const error = errorOf(fetch('http://localhost/'));
    await runtime.advance(days - 1);
    expect(runtime.pending).toBe(1);
    await runtime.advance(1);
    expect((await error).code).toBe('MODEL_TIMEOUT');
  });
});

describe('guardedFetch with an error status', () => {
  async function refused(status: number, body: string | string[] | undefined, type = 'application/json') {
    const server = await useServer({ status, body, headers: { 'content-type': type, 'x-request-id': 'r1' } });
    const seen: RefusedAnswer[] = [];
    const { fetch, runtime } = createGuard({
      refuse: (answer) => (seen.push(answer), new TholeError('MODEL_BAD_REQUEST', 'Refused.')),
    });
    expect(await errorOf(fetch(server.url))).toMatchObject({ code: 'MODEL_BAD_REQUEST', message: 'Refused.' });
    await server.allEnded();
    expect([seen.length, runtime.pending]).toEqual([1, 0]);
    expect(seen[0]!.headers.get('x-request-id')).toBe('r1');
    return seen[0]!;
  }

  it.each<[string, number, string | string[] | undefined, unknown]>([
    ['parsed JSON', 400, '{"error":{"code":"no"}}', { error: { code: 'no' } }],
    ['JSON that arrives in pieces', 503, ['{"err', 'or":"Größe ', '🏨"}'], { error: 'Größe 🏨' }],
    ['a page of HTML as text', 502, '<html><h1>Bad Gateway</h1>', '<html><h1>Bad Gateway</h1>'],
    ['incomplete JSON as text', 500, '{"error":', '{"error":'],
    ['a missing body as an empty text', 429, undefined, ''],
    ['a redirect that is not followed', 304, undefined, ''],
  ])('returns %s', async (_what, status, body, expected) => {
    expect(await refused(status, body)).toMatchObject({ status, body: expected });
  });

  it('reads only the first 64 KB of the body', async () => {
    const pieces = Array.from({ length: 40 }, () => 'x'.repeat(50_000));
    expect(await refused(500, pieces)).toMatchObject({ body: 'x'.repeat(65_536) });
  });

  it('reports the received part of the body if the connection breaks', async () => {
    const server = await useServer({ status: 401, body: ['{"error":"no key"'], ending: 'cut' });
    const { fetch } = createGuard({
      refuse: ({ status, body }) => new TholeError('MODEL_AUTH', `${status} ${String(body)}`),
    });
    expect(await errorOf(fetch(server.url))).toMatchObject({ code: 'MODEL_AUTH', message: '401 {"error":"no key"' });
  });

  it('throws MODEL_TIMEOUT if the body stops arriving', async () => {
    const server = await useServer({ status: 500, body: ['{'], ending: 'silence' });
    const { fetch, runtime } = createGuard();
    const error = errorOf(fetch(server.url));
    await until(() => runtime.pending > 0 && server.requests.length === 1);
    let isOver = false;
    void error.then(() => (isOver = true));
    for (let i = 0; i < 100 && !isOver; i++) await runtime.advance(500);
    expect((await error).code).toBe('MODEL_TIMEOUT');
    await server.allEnded();
  });
});

describe('guardedFetch', () => {
  it('throws the signal’s reason before and during the answer, and closes the connection', async () => {
    for (const answer of [{ ending: 'silence' }, { body: ['one'], ending: 'silence' }] as const) {
      const server = await useServer(answer);
      const { fetch, runtime } = createGuard();
      const abort = new AbortController();
      const reading = fetch(server.url, { signal: abort.signal }).then((response) => response.text());
      const error = errorOf(reading);
      await until(() => server.requests.length === 1);
      abort.abort('enough');
      expect(await error).toBe('enough');
      await server.allEnded();
      expect(runtime.pending).toBe(0);
    }
  });

  it('obeys the signal of a Request object', async () => {
    const server = await useServer({ ending: 'silence' });
    const abort = new AbortController();
    const error = errorOf(createGuard().fetch(new Request(server.url, { signal: abort.signal })));
    await until(() => server.requests.length === 1);
    abort.abort('enough');
    expect(await error).toBe('enough');
    await server.allEnded();
  });

  it('ends with its signal if the platform’s fetch ignores it, and releases the body', async () => {
    const abort = new AbortController();
    const cancelled: unknown[] = [];
    const endless = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
    const { fetch } = createGuard({ fetch: async () => new Response(endless) });
    const error = errorOf((await fetch('http://localhost/', { signal: abort.signal })).text());
    abort.abort('enough');
    expect(await error).toBe('enough');
    expect(cancelled).toEqual(['enough']);
  });

  it('ends if its signal is aborted when the answer begins', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const abort = new AbortController();
      const abortSoon = async (): Promise<void> => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        abort.abort('enough');
      };
      const { fetch } = createGuard({ fetch: async () => (void abortSoon(), new Response(new ReadableStream())) });
      const reading = fetch('http://localhost/', { signal: abort.signal }).then((response) => response.text());
      expect(await errorOf(reading)).toBe('enough');
    }
  });

  it('closes the connection if its reader leaves', async () => {
    const server = await useServer({ body: ['one', 'two'], ending: 'silence' });
    const { fetch, runtime } = createGuard();
    const response = await fetch(server.url);
    for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>) break;
    await server.allEnded();
    expect(runtime.pending).toBe(0);
  });

  it('returns status, headers and an empty body unchanged', async () => {
    const server = await useServer({ status: 204, headers: { 'x-request-id': 'r2' } });
    const { fetch, runtime } = createGuard();
    const response = await fetch(server.url);
    expect([response.status, response.headers.get('x-request-id'), await response.text()]).toEqual([204, 'r2', '']);
    expect(runtime.pending).toBe(0);
  });
});

describe('guardedFetch after an answer', () => {
  const ends: [string, (body: ReadableStream<Uint8Array>, caller: AbortController) => Promise<unknown>][] = [
    ['was read', (body) => new Response(body).text()],
    ['was cancelled', (body) => body.cancel()],
    ['was aborted', async (_, caller) => caller.abort()],
  ];
  it.each(ends)('has no listener and no timer when its body %s', async (_, end) => {
    const server = await useServer({ body: ['one', 'two'] });
    const signals: AbortSignal[] = [];
    const { fetch, runtime } = createGuard({
      fetch: async (input, init) => {
        signals.push(init!.signal!);
        const { body } = await globalThis.fetch(input, { ...init, signal: null });
        return new Response(body);
      },
    });
    const caller = new AbortController();
    const { body } = await fetch(server.url, { signal: caller.signal });
    expect([getEventListeners(signals[0]!, 'abort').length, runtime.pending]).toEqual([1, 1]);
    await end(body!, caller);
    expect([getEventListeners(signals[0]!, 'abort').length, runtime.pending]).toEqual([0, 0]);
  });
});
