import { inspect } from 'node:util';
import { ProviderConnection, TholeError } from '@thole/core';
import type { ConnectionOptions } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
import { acmeTable, askAcme, piecesOf } from './acme.ts';
import { Pieces, until, useServer } from './use-server.ts';

interface Acme {
  runtime: FixedRuntime;
  connection: ProviderConnection;
  /** Returns the complete answer. */
  send(signal?: AbortSignal): Promise<string>;
  stream(signal?: AbortSignal): AsyncIterableIterator<string>;
}

function acmeAt({ url }: Pick<ProtocolServer, 'url'>, options: ConnectionOptions = {}): Acme {
  const runtime = new FixedRuntime();
  const connection = new ProviderConnection({ apiKey: 's3cr3t-key', runtime, ...options }, acmeTable);
  const ask = (signal: AbortSignal): Promise<Response> => askAcme(connection, url, signal);
  return {
    runtime,
    connection,
    send: (signal) => connection.send(async (either) => (await ask(either)).text(), signal),
    stream: (signal) => connection.stream(ask, piecesOf, signal),
  };
}

const errorOf = (promise: Promise<unknown>): Promise<TholeError> =>
  promise.then(
    (value) => expect.unreachable(`It answered ${String(value)}.`),
    (error: TholeError) => error,
  );

/** Advances the clock until the promise settles. Returns its value. */
async function advanceUntilSettled<T>(runtime: FixedRuntime, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  promise.then(over, over);
  while (!isOver) await runtime.advance(1000);
  return promise;
}

const closed = { url: 'http://127.0.0.1:1' };
const busy = { status: 503, body: '{"error":"busy"}' };

describe('ProviderConnection retries', () => {
  it('retry while the provider is overloaded and return the later answer', async () => {
    const server = await useServer(busy, busy, { body: 'yes' });
    const { send, runtime } = acmeAt(server);
    expect(await advanceUntilSettled(runtime, send())).toBe('yes');
    expect(server.requests.length).toBe(3);
  });

  it('make three attempts by default, `maxAttempts`, or one with `retry: false`', async () => {
    for (const [retry, attempts] of [
      [undefined, 3],
      [{ maxAttempts: 5 }, 5],
      [false, 1],
    ] as const) {
      const server = await useServer(busy);
      const { send, runtime } = acmeAt(server, { retry });
      expect(await advanceUntilSettled(runtime, errorOf(send()))).toMatchObject({
        code: 'MODEL_OVERLOADED',
        status: 503,
      });
      expect(server.requests.length).toBe(attempts);
      expect(runtime.pending).toBe(0);
    }
  });

  it('wait for the time in Retry-After', async () => {
    const server = await useServer({ status: 429, headers: { 'retry-after': '7' } }, { body: 'yes' });
    const { send, runtime } = acmeAt(server);
    const answer = send();
    await until(() => server.requests.length === 1 && server.open === 0 && runtime.pending === 1);
    await runtime.advance(6999);
    expect(server.requests.length).toBe(1);
    expect(await advanceUntilSettled(runtime, answer)).toBe('yes');
  });

  it.each([
    ['the date of the response', 3_600, undefined],
    ['the clock of the runtime without it (contract 43)', 0, ''],
  ])('count a date in Retry-After from %s', async (_what, offset, missing) => {
    const dateAt = (seconds: number): string => new Date((new FixedRuntime().now() + seconds) * 1000).toUTCString();
    const headers = { 'retry-after': dateAt(offset + 90), date: missing ?? dateAt(offset) };
    const server = await useServer({ status: 429, headers });
    expect(await errorOf(acmeAt(server).send())).toMatchObject({ code: 'MODEL_RATE_LIMITED', retryAfterMs: 90_000 });
    expect(server.requests.length).toBe(1);
  });

  it.each([
    ['one attempt if x-should-retry is false', 503, 'false', 1],
    ['three attempts if x-should-retry is true', 401, 'true', 3],
  ])('make %s, for any status', async (_what, status, header, attempts) => {
    const server = await useServer({ status, headers: { 'x-should-retry': header }, body: '{}' });
    const { send, runtime } = acmeAt(server);
    expect(await advanceUntilSettled(runtime, errorOf(send()))).toMatchObject({ status, retryable: header === 'true' });
    expect(server.requests.length).toBe(attempts);
  });

  it('do not repeat a permanent rejection', async () => {
    const server = await useServer({ status: 401, body: '{"error":"no"}' });
    expect(await errorOf(acmeAt(server).send())).toMatchObject({ code: 'MODEL_AUTH', retryable: false });
    expect(server.requests.length).toBe(1);
  });

  it('repeat a call if the connection is refused, or ends before the answer', async () => {
    const unreachable = acmeAt(closed);
    expect(await advanceUntilSettled(unreachable.runtime, errorOf(unreachable.send()))).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    const server = await useServer({ ending: 'cut' }, { body: 'yes' });
    const { send, runtime } = acmeAt(server);
    expect(await advanceUntilSettled(runtime, send())).toBe('yes');
    expect(server.requests.length).toBe(2);
  });

  it('happen before a stream begins', async () => {
    const server = await useServer(busy, { body: ['one'] });
    const { stream, runtime } = acmeAt(server);
    expect(await advanceUntilSettled(runtime, Array.fromAsync(stream()))).toEqual(['one']);
  });

  it('never follow a stream that has begun: its error is thrown', async () => {
    const server = await useServer({ body: ['one'], ending: 'cut' });
    const { stream, runtime } = acmeAt(server);
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const piece of stream()) pieces.push(piece);
    })();
    expect(await errorOf(reading)).toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect([pieces, server.requests.length, runtime.pending]).toEqual([['one'], 1, 0]);
  });

  it('are ended by the signal while they wait', async () => {
    const server = await useServer(busy);
    const abort = new AbortController();
    const { send, runtime } = acmeAt(server);
    const error = errorOf(send(abort.signal));
    await until(() => server.requests.length === 1 && server.open === 0 && runtime.pending === 1);
    abort.abort('enough');
    expect(await error).toBe('enough');
    expect([server.requests.length, runtime.pending]).toEqual([1, 0]);
  });
});

describe('ProviderConnection time limits', () => {
  it('are ten minutes until the answer, and a call that they end is not repeated', async () => {
    const server = await useServer({ ending: 'silence' });
    const { send, runtime } = acmeAt(server);
    const error = errorOf(send());
    await until(() => server.requests.length === 1);
    await runtime.advance(599_000);
    expect(server.open).toBe(1);
    await runtime.advance(2000);
    expect(await error).toMatchObject({ code: 'MODEL_TIMEOUT', retryable: true });
    await server.allEnded();
    expect([server.requests.length, runtime.pending]).toEqual([1, 0]);
  });

  it('are five minutes during the answer, and throw MODEL_TIMEOUT', async () => {
    const server = await useServer({ body: ['one'], ending: 'silence' });
    const { stream, runtime } = acmeAt(server);
    const pieces = stream();
    expect((await pieces.next()).value).toBe('one');
    const error = errorOf(pieces.next());
    await runtime.advance(299_000);
    expect(server.open).toBe(1);
    await runtime.advance(2000);
    expect((await error).code).toBe('MODEL_TIMEOUT');
    await server.allEnded();
    expect(server.requests.length).toBe(1);
  });

  it('do not run while the reader is busy', async () => {
    const pieces = new Pieces();
    const server = await useServer({ body: pieces });
    const { stream, runtime } = acmeAt(server);
    const reading = stream();
    for (const piece of ['one', 'two']) {
      pieces.add(piece);
      expect((await reading.next()).value).toBe(piece);
      await runtime.advance(3_600_000);
    }
    await reading.return?.();
    await server.allEnded();
  });
});

describe('ProviderConnection aborts', () => {
  it.each(['send', 'stream'] as const)(
    'ends %s by the signal, with its reason, and the socket (contract 23)',
    async (how) => {
      const server = await useServer({ ending: 'silence' });
      const abort = new AbortController();
      const acme = acmeAt(server);
      const error = errorOf(how === 'send' ? acme.send(abort.signal) : acme.stream(abort.signal).next());
      await until(() => server.requests.length === 1);
      abort.abort('enough');
      expect(await error).toBe('enough');
      await server.allEnded();
      expect(acme.runtime.pending).toBe(0);
    },
  );

  it('sends nothing if the signal is already aborted', async () => {
    const server = await useServer({ body: 'yes' });
    const { send, stream } = acmeAt(server);
    expect(await errorOf(send(AbortSignal.abort('enough')))).toBe('enough');
    expect(await errorOf(stream(AbortSignal.abort('enough')).next())).toBe('enough');
    expect(server.requests).toEqual([]);
  });

  it('ends a stream and its socket with the signal’s reason (contract 23)', async () => {
    const server = await useServer({ body: ['one'], ending: 'silence' });
    const abort = new AbortController();
    const pieces = acmeAt(server).stream(abort.signal);
    await pieces.next();
    const error = errorOf(pieces.next());
    abort.abort('enough');
    expect(await error).toBe('enough');
    await server.allEnded();
  });

  it('throws the signal’s reason if the SDK treats an abort as the end', async () => {
    const abort = new AbortController();
    const { connection } = acmeAt(closed);
    const ends = async function* (): AsyncGenerator<string> {
      yield 'one';
      abort.abort('enough');
    };
    const pieces = connection.stream(async () => 'answer', ends, abort.signal);
    await pieces.next();
    expect(await errorOf(pieces.next())).toBe('enough');
  });

  it('ends the socket when the loop is left, also if the SDK’s iterator never ends (contract 23)', async () => {
    const server = await useServer({ body: ['one'], ending: 'silence' });
    const { connection } = acmeAt(server);
    const stubborn = (response: Response): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => piecesOf(response).next(),
        return: () => new Promise(() => {}),
      }),
    });
    const stream = connection.stream((signal) => askAcme(connection, server.url, signal), stubborn, undefined);
    for await (const piece of stream) {
      expect(piece).toBe('one');
      break;
    }
    await server.allEnded();
  });
});

describe('errors of ProviderConnection', () => {
  it('are ours, also if the SDK wraps them', async () => {
    const server = await useServer({ status: 400, body: '{"error":"tools[0].name is too long"}' });
    expect(await errorOf(acmeAt(server).send())).toMatchObject({
      code: 'MODEL_BAD_REQUEST',
      message: 'Acme refused with 400: tools[0].name is too long',
      details: { text: 'tools[0].name is too long' },
    });
  });

  it('are ours, also if the SDK reads a time-out in the provider’s text', async () => {
    const server = await useServer({ status: 400, body: '{"error":"timeout must be positive"}' });
    expect(await errorOf(acmeAt(server).send())).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });

  it.each<[string, string | undefined, string]>([
    ['no body', undefined, ''],
    ['a page of HTML', '<h1>Bad Gateway</h1>', '<h1>Bad Gateway</h1>'],
    ['JSON', '{"error":"busy"}', 'busy'],
    ['a body of a megabyte', 'x'.repeat(2 ** 20), 'x'.repeat(65_536)],
  ])('are created from a rejection with %s', async (_what, body, text) => {
    const server = await useServer({ status: 502, body });
    const error = await errorOf(acmeAt(server, { retry: false }).send());
    expect(error).toMatchObject({ code: 'MODEL_OVERLOADED', status: 502, details: { text, length: text.length } });
    await server.allEnded();
  });

  it('never contain a key, at any place of the provider’s or the SDK’s error (contract 42)', async () => {
    const options = {
      headers: { 'x-api-key': 'h3ader-key', authorization: 'Basic dXNlcjpwYXNz', 'x-team': 'hotel-team' },
      baseUrl: 'https://user:p4ssw0rd@example.com/v1?key=qu3ry-key&version=2026',
      retry: false,
    } as const;
    const secrets = ['s3cr3t-key', 'h3ader-key', 'dXNlcjpwYXNz', 'p4ssw0rd', 'qu3ry-key'];
    const words = `${secrets.join(' ')} hotel-team 2026`;
    const refusing = await useServer({ status: 401, body: JSON.stringify({ error: words }) });
    const breaking = await useServer({ body: ['one'], ending: 'cut' });
    const failing = acmeAt(closed, { ...options, fetch: () => Promise.reject(new TypeError(words)) });
    const errors = [
      await errorOf(acmeAt(refusing, options).send()),
      await errorOf(Array.fromAsync(acmeAt(breaking, options).stream())),
      await errorOf(failing.send()),
    ];
    for (const error of errors) {
      const shown = inspect(error, { depth: 10, showHidden: true });
      for (const secret of secrets) expect(shown).not.toContain(secret);
    }
    expect(errors.map(({ code }) => code)).toEqual(['MODEL_AUTH', 'MODEL_INCOMPLETE', 'MODEL_UNAVAILABLE']);
    expect(errors[0]!.message).toContain('hotel-team 2026');
    expect(errors[0]!.details).toMatchObject({ text: expect.stringContaining('[redacted]') });
  });

  it('contain only name and message of the cause, because an SDK’s error may have the request', async () => {
    const error = await errorOf(acmeAt(closed, { retry: false }).send());
    expect(error.cause).toMatchObject({ name: 'AcmeError', message: 'Connection error.' });
    expect(Object.keys(error.cause as object)).not.toContain('request');
    expect((error.cause as Error).cause).toBeUndefined();
  });

  it('of concurrent calls are separate', async () => {
    const server = await useServer(({ headers }) => ({ status: headers['x-n'] === '1' ? 400 : 401, body: '{}' }));
    const { connection } = acmeAt(server);
    const ask = (n: string): Promise<TholeError> =>
      errorOf(connection.send((signal) => connection.fetch(server.url, { headers: { 'x-n': n }, signal }), undefined));
    const codes = (await Promise.all([ask('1'), ask('2'), ask('1')])).map(({ code }) => code);
    expect(codes).toEqual(['MODEL_BAD_REQUEST', 'MODEL_AUTH', 'MODEL_BAD_REQUEST']);
  });
});
