import { createEventActions } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ClientError, createClient } from '../src/index.ts';
import type { ArtifactVersion, Client, Event, Interrupt, MemoryEntry, Session, SessionSummary } from '../src/index.ts';
import { event, hello, ref, serverOf } from './protocol-server.ts';

const user = { appName: 'hotel', userId: 'ada' };
const sessions = '/apps/hotel/users/ada/sessions';
const artifacts = `${sessions}/lobby/artifacts`;
const menu = { ...ref, filename: 'user:menus/today ä.txt' };
const encoded = 'user%3Amenus%2Ftoday%20%C3%A4.txt';
const memory = '/apps/hotel/users/ada/memory';
const note = { kind: 'note' as const, content: { parts: [{ text: 'tea' }] } };

type Case = [
  sent: string,
  response: unknown,
  call: (client: Client) => Promise<unknown>,
  result?: unknown,
  body?: unknown,
];

const cases: Case[] = [
  ['GET /list-apps', ['hotel'], (client) => client.apps.list()],
  ['GET /list-apps?detailed=true', { apps: [1] }, (client) => client.apps.listDetailed(), [1]],
  ['GET /apps/hotel/app-info', { name: 'hotel' }, (client) => client.apps.info(user)],
  ['GET /health', { status: 'ok' }, (client) => client.health(), undefined],
  ['GET /version', { version: '1' }, (client) => client.version()],
  [`GET ${sessions}`, [1, 2], (client) => client.sessions.list(user), { sessions: [1, 2], totalItems: 2 }],
  [
    `GET ${sessions}?limit=2&page=3&order=desc`,
    { sessions: [1], page: 3, limit: 2, totalItems: 5, totalPages: 3 },
    (client) => client.sessions.list({ ...user, limit: 2, page: 3, order: 'desc' }),
    { sessions: [1], totalItems: 5 },
  ],
  [`GET ${sessions}/lobby`, { id: 'lobby' }, (client) => client.sessions.get(ref)],
  [
    `GET ${sessions}/lobby?numRecentEvents=0&afterTimestamp=7.5`,
    {},
    (client) => client.sessions.get({ ...ref, numRecentEvents: 0, afterTimestamp: 7.5 }),
  ],
  [`POST ${sessions}`, { id: 'x' }, (client) => client.sessions.create(user), { id: 'x' }, {}],
  [
    `POST ${sessions}`,
    {},
    (client) => client.sessions.create({ ...ref, state: { a: null }, events: [event('a', 1)] }),
    {},
    { sessionId: 'lobby', state: { a: null }, events: [JSON.parse(JSON.stringify(event('a', 1)))] },
  ],
  [
    `PATCH ${sessions}/lobby`,
    {},
    (client) => client.sessions.updateState({ ...ref, stateDelta: { a: null } }),
    {},
    { stateDelta: { a: null } },
  ],
  [
    `PATCH ${sessions}/lobby`,
    {},
    (client) => client.sessions.rename({ ...ref, displayName: 'Trip' }),
    {},
    { stateDelta: { __session_metadata__: { displayName: 'Trip' } } },
  ],
  [
    `DELETE ${sessions}/lobby?memory=true`,
    null,
    (client) => client.sessions.delete({ ...ref, memory: true }),
    undefined,
  ],
  [`DELETE ${sessions}/lobby`, undefined, (client) => client.sessions.delete(ref), undefined],
  [
    `GET ${sessions}/lobby`,
    { id: 'lobby', state: { a: 1, 'user:b': 2, 'app:c': 3 }, events: [{ id: 'e', actions: createEventActions() }] },
    (client) => client.sessions.export(ref),
    { state: { a: 1 }, events: [{ id: 'e', actions: createEventActions() }] },
  ],
  [
    'POST /run',
    [{ id: 'e' }],
    (client) => client.runToCompletion(hello),
    [{ id: 'e' }],
    { ...ref, newMessage: { role: 'user', parts: [{ text: 'hello' }] } },
  ],
  [`GET ${artifacts}`, ['a'], (client) => client.artifacts.list(ref)],
  [`GET ${artifacts}/${encoded}`, { text: 'x' }, (client) => client.artifacts.load(menu)],
  [`GET ${artifacts}/${encoded}/versions/0`, {}, (client) => client.artifacts.load({ ...menu, version: 0 })],
  [`GET ${artifacts}/${encoded}/versions`, [0], (client) => client.artifacts.versions(menu)],
  [
    `GET ${artifacts}/${encoded}/versions/1/metadata`,
    {},
    (client) => client.artifacts.metadata({ ...menu, version: 1 }),
  ],
  [
    `POST ${artifacts}`,
    { version: 1 },
    (client) => client.artifacts.save({ ...menu, artifact: { text: 'x' }, customMetadata: { a: 1 } }),
    { version: 1 },
    { filename: menu.filename, artifact: { text: 'x' }, customMetadata: { a: 1 } },
  ],
  [`DELETE ${artifacts}/${encoded}`, undefined, (client) => client.artifacts.delete(menu), undefined],
  [
    `GET ${memory}?query=tea+%26+%C3%A4&limit=3`,
    { memories: [1] },
    (client) => client.memory.search({ ...user, query: 'tea & ä', limit: 3 }),
    [1],
  ],
  [
    `GET ${memory}?limit=3&cursor=c`,
    { memories: [1], next: 'd' },
    (client) => client.memory.list({ ...user, limit: 3, cursor: 'c' }),
  ],
  [
    `GET ${memory}?query=tea&explain=true&validAt=7&kinds=fact%2Cnote`,
    { memories: [1] },
    (client) =>
      client.memory.search({ ...user, query: 'tea', explain: true, filter: { kinds: ['fact', 'note'], validAt: 7 } }),
    [1],
  ],
  [
    `GET ${memory}?sessionId=lobby&kinds=turn`,
    { memories: [1] },
    (client) => client.memory.list({ ...user, filter: { kinds: ['turn'], sessionId: 'lobby' } }),
  ],
  [
    `POST ${memory}`,
    { memories: [1] },
    (client) => client.memory.add({ ...user, memories: [note] }),
    [1],
    { memories: [note] },
  ],
  [
    `DELETE ${memory}/%5B%22lobby%22%2C%22e%22%5D`,
    undefined,
    (client) => client.memory.forget({ ...user, id: '["lobby","e"]' }),
    undefined,
  ],
  [
    `PATCH ${memory}/m%2F1`,
    { id: 'm/1' },
    (client) => client.memory.update({ ...user, id: 'm/1', change: { author: 'ada' } }),
    { id: 'm/1' },
    { author: 'ada' },
  ],
  [
    `DELETE ${memory}/m?keepEvidence=true`,
    undefined,
    (client) => client.memory.forget({ ...user, id: 'm', keepEvidence: true }),
    undefined,
  ],
  [`GET ${artifacts}/${encoded}/versions/latest/metadata`, {}, (client) => client.artifacts.metadata(menu)],
  [`GET ${artifacts}/${encoded}/versions/metadata`, [], (client) => client.artifacts.listMetadata(menu)],
  [`GET ${memory}/m%2F1`, { id: 'm/1' }, (client) => client.memory.get({ ...user, id: 'm/1' })],
  [`GET ${memory}/m/same`, { memories: [1] }, (client) => client.memory.findSame({ ...user, id: 'm' }), [1]],
  [
    `POST ${memory}/forget?team=front+desk&agent=porter`,
    { count: 2 },
    (client) => client.memory.forgetMany({ ...user, ids: ['a', 'b'], scope: { team: 'front desk', agent: 'porter' } }),
    2,
    { ids: ['a', 'b'] },
  ],
  [
    `GET ${memory}?query=tea&topic=food%2C+drinks&topic=travel&team=spa`,
    { memories: [1] },
    (client) =>
      client.memory.search({
        ...user,
        query: 'tea',
        filter: { topics: ['food, drinks', 'travel'] },
        scope: { team: 'spa' },
      }),
    [1],
  ],
  [
    `POST ${memory}`,
    { memories: [1] },
    (client) => client.memory.add({ ...user, memories: ['Call back'] }),
    [1],
    { memories: ['Call back'] },
  ],
  [`DELETE ${memory}`, undefined, (client) => client.memory.forgetAll(user), undefined],
  [`PATCH ${memory}`, null, (client) => client.memory.saveSession(ref), undefined, { sessionId: 'lobby' }],
  ['GET /dev/apps/hotel/debug/trace/session/lobby', [], (client) => client.traces.ofSession(ref)],
  [
    'GET /dev/apps/hotel/debug/trace/e%2F1',
    { a: 1 },
    (client) => client.traces.ofEvent({ appName: 'hotel', eventId: 'e/1' }),
  ],
  ['GET /dev/apps/hotel/build_graph', { name: 'hotel' }, (client) => client.graphs.ofApp(user)],
  [
    'GET /dev/apps/hotel/build_graph_image?dark_mode=true&node=porter',
    { dotSrc: 'digraph {}' },
    (client) => client.graphs.dot({ ...user, darkMode: true, node: 'porter' }),
  ],
  [`GET /dev${sessions}/lobby/events/e-1/graph`, {}, (client) => client.graphs.ofEvent({ ...ref, eventId: 'e-1' })],
];

describe('createClient', () => {
  it.each(cases)('sends %s', async (...testCase) => {
    const [sent, answer, call, , body = ''] = testCase;
    const { client, server } = await serverOf([
      answer === undefined ? { status: 204 } : { body: JSON.stringify(answer) },
    ]);
    expect(await call(client)).toEqual(testCase.length > 3 ? testCase[3] : answer);
    const [{ method, path, headers, body: received }] = server.requests as [(typeof server.requests)[0]];
    expect({ sent: `${method} ${path}`, body: received }).toEqual({ sent, body });
    expect(headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });
});

describe('ClientError', () => {
  it('has the status, message, code and Retry-After of the server', async () => {
    const headers = { 'retry-after': '1.5' };
    const { client } = await serverOf([
      { status: 429, headers, body: '{"detail": "Slower.", "code": "RATE_LIMITED"}' },
    ]);
    const error = await errorOf(client.apps.list());
    expect(error).toMatchObject({ status: 429, detail: 'Slower.', message: 'Slower.', code: 'RATE_LIMITED' });
    expect(error).toMatchObject({ retryable: true, retryAfterMs: 1500 });
  });

  it('reads a date in Retry-After by the runtime’s clock, and ignores invalid values', async () => {
    const runtime = new FixedRuntime();
    const answers = ['Tue, 14 Nov 2023 22:14:00 GMT', 'Tue, 14 Nov 2023 22:12:00 GMT', 'soon', ''];
    const { client } = await serverOf(
      answers.map((value) => ({ status: 503, headers: { 'retry-after': value } })),
      { runtime },
    );
    const waits = [];
    for (const _ of answers) waits.push((await errorOf(client.health())).retryAfterMs);
    expect(waits).toEqual([40_000, 0, undefined, undefined]);
  });

  it('has its own message without the query if the server sends none', async () => {
    const bodies = ['<p>Bad gateway</p>', '{"detail": [1]}', 'null', '7', ''];
    const { client } = await serverOf(bodies.map((body) => ({ status: 502, body })));
    for (const _ of bodies) {
      const error = await errorOf(client.memory.search({ ...user, query: 'secret' }));
      expect(error).toMatchObject({ status: 502, code: undefined, retryable: true });
      expect(error.detail).toBe('The server answered 502 to /apps/hotel/users/ada/memory.');
    }
  });

  it('is retryable for temporary errors only', async () => {
    const statuses = [400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504];
    const { client } = await serverOf(statuses.map((status) => ({ status, body: '{"detail": "x"}' })));
    const retryable = [];
    for (const status of statuses) if ((await errorOf(client.health())).retryable) retryable.push(status);
    expect(retryable).toEqual([408, 429, 502, 503, 504]);
  });

  it('is retryable if a proxy answers with its own page because it cannot reach the server', async () => {
    const statuses = [500, 520, 521, 404];
    const { client } = await serverOf(statuses.map((status) => ({ status, body: '<p>Server is down</p>' })));
    for (const status of statuses)
      expect(await errorOf(client.health())).toMatchObject({ status, retryable: status >= 500 });
  });

  it('is INVALID_RESPONSE if the response is not JSON', async () => {
    const { client } = await serverOf([{ body: '<p>Log in</p>' }]);
    expect(await errorOf(client.apps.list())).toMatchObject({ code: 'INVALID_RESPONSE', retryable: false });
  });

  it('is UNREACHABLE with a cause if the response is missing or incomplete', async () => {
    const { client, server } = await serverOf([{ body: ['["ho'], ending: 'cut' }]);
    expect(await errorOf(client.apps.list())).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    await server.close();
    const error = await errorOf(client.apps.list());
    expect(error).toMatchObject({
      code: 'UNREACHABLE',
      status: undefined,
      detail: 'No response arrived for /list-apps.',
    });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('is INVALID_INPUT and retryable if the headers function throws, and nothing is sent', async () => {
    const headers = (): never => {
      throw new Error('no token');
    };
    const { client, server } = await serverOf([], { headers });
    expect(await errorOf(client.health())).toMatchObject({
      ...{ code: 'INVALID_INPUT', retryable: true, cause: { message: 'no token' } },
      detail: 'headers() failed.',
    });
    expect(server.requests).toEqual([]);
  });

  it('is INVALID_INPUT for names that cannot be in a path, and nothing is sent', async () => {
    const { client, server } = await serverOf([]);
    for (const sessionId of ['', '.', '..', '\ud800', undefined as unknown as string, 7 as unknown as string]) {
      expect(await errorOf(client.sessions.get({ ...user, sessionId }))).toMatchObject({
        code: 'INVALID_INPUT',
      });
      expect(await errorOf(client.resume({ ...ref, invocationId: sessionId }).next())).toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
    for (const messageId of ['🏨', 'two\nlines', 'nul\0']) {
      const expected = { code: 'INVALID_INPUT', detail: 'messageId must be printable Latin-1 text.' };
      expect(await errorOf(client.run({ ...hello, messageId }).next())).toMatchObject(expected);
      expect(await errorOf(client.runToCompletion({ ...hello, messageId }))).toMatchObject(expected);
    }
    const circular: { [key: string]: never } = {};
    Object.assign(circular, { circular });
    const writing = client.sessions.updateState({ ...ref, stateDelta: circular });
    expect(await errorOf(writing)).toMatchObject({ code: 'INVALID_INPUT', detail: 'The body must be JSON.' });
    expect(server.requests).toEqual([]);
    const message = 'baseUrl must be a path or a URL without ? and #.';
    const queries = ['https://example.com/agents/?key=1', 'https://example.com?a', 'http://localhost#top', '/api?x'];
    for (const baseUrl of [undefined, null, 8000, 'localhost:8000', 'api', ...queries])
      expect(() => createClient({ baseUrl } as { baseUrl: string })).toThrow(message);
    for (const baseUrl of ['', '/api', 'http://localhost:8000', 'https://example.com/api']) createClient({ baseUrl });
  });

  it.each<[object, string]>([
    [{ timeoutMS: 5 }, 'createClient has no option timeoutMS.'],
    [{ reconnect: { attempt: 1 } }, 'reconnect has no option attempt.'],
    [{ reconnect: false }, 'The options of reconnect must be an object.'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0, or Infinity.'],
    [{ idleTimeoutMs: '5' }, 'idleTimeoutMs must be a number of milliseconds above 0, or Infinity.'],
    [{ reconnect: { delayMs: Number.NaN } }, 'reconnect.delayMs must be a number ≥ 0.'],
  ])('rejects the options %j (contract 42)', async (options, detail) => {
    const error = await errorOf(Promise.resolve().then(() => createClient({ baseUrl: '', ...options })));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', detail });
  });
});

describe('timeoutMs', () => {
  it('ends a request after the limit of the call or the client', async () => {
    const runtime = new FixedRuntime();
    for (const [limit, timeoutMs] of [[60_000], [50, 50]] as const) {
      const { client, server, requested } = await startSilentServer({ runtime });
      const error = errorOf(client.apps.list({ timeoutMs }));
      await requested;
      await runtime.advance(limit - 1);
      expect(await Promise.race([error, Promise.resolve('none yet')])).toBe('none yet');
      await runtime.advance(1);
      expect(await error).toMatchObject({
        code: 'TIMEOUT',
        retryable: true,
        detail: `The server did not answer within ${limit} ms.`,
      });
      await server.allEnded();
    }
    expect(runtime.pending).toBe(0);
  });

  it('includes the body, and is ten minutes for runToCompletion', async () => {
    const runtime = new FixedRuntime();
    const { client, requested } = await startSilentServer({ runtime, timeoutMs: 5 }, ['[']);
    const error = errorOf(client.runToCompletion(hello));
    await requested;
    await runtime.advance(599_999);
    expect(await Promise.race([error, Promise.resolve('none yet')])).toBe('none yet');
    await runtime.advance(1);
    expect(await error).toMatchObject({ code: 'TIMEOUT' });
  });

  it.each([0, -1, Number.NaN, '5' as unknown as number])(
    'rejects the limit %j of a call, and sends nothing',
    async (timeoutMs) => {
      const { client, server } = await serverOf([]);
      const expected = {
        code: 'INVALID_INPUT',
        detail: 'timeoutMs must be a number of milliseconds above 0, or Infinity.',
      };
      expect(await errorOf(client.apps.list({ timeoutMs }))).toMatchObject(expected);
      expect(await errorOf(client.run({ ...hello, timeoutMs }).next())).toMatchObject(expected);
      expect(await errorOf(client.runToCompletion({ ...hello, timeoutMs }))).toMatchObject(expected);
      expect(server.requests).toEqual([]);
    },
  );

  it('sets no timer for Infinity', async () => {
    const runtime = new FixedRuntime();
    const { client } = await serverOf([{ body: '[]' }], { runtime, timeoutMs: Infinity });
    const listing = client.apps.list();
    expect(runtime.pending).toBe(0);
    expect(await listing).toEqual([]);
  });

  it('works with a fetch that ignores signals', async () => {
    const runtime = new FixedRuntime();
    const client = createClient({ baseUrl: '', runtime, fetch: () => new Promise(() => {}) });
    const error = errorOf(client.health());
    await runtime.advance(60_000);
    expect(await error).toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('signal', () => {
  it('aborts a call with ABORTED and its reason, and ends the request', async () => {
    const { client, server, requested } = await startSilentServer();
    const controller = new AbortController();
    const error = errorOf(client.apps.list({ signal: controller.signal }));
    await requested;
    controller.abort('enough');
    expect(await error).toMatchObject({ code: 'ABORTED', cause: 'enough', retryable: false });
    await server.allEnded();
  });

  it('sends nothing if it is already aborted', async () => {
    const { client, server } = await serverOf([]);
    expect(await errorOf(client.apps.list({ signal: AbortSignal.abort('no') }))).toMatchObject({
      code: 'ABORTED',
      cause: 'no',
    });
    expect(server.requests).toEqual([]);
  });
});

describe('ClientOptions', () => {
  it('calls the headers function before each request', async () => {
    let count = 0;
    const { client, server } = await serverOf([{ body: '[]' }, { body: '[]' }], {
      headers: async () => ({ authorization: `Bearer ${++count}` }),
    });
    await client.apps.list();
    await client.runToCompletion(hello);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer 1', 'Bearer 2']);
  });

  it('accepts a URL object as the baseUrl', async () => {
    const baseUrl = new URL('https://example.com/agents/') as unknown as string;
    const seen: string[] = [];
    const client = createClient({ baseUrl, fetch: async (address) => (seen.push(address), new Response('[]')) });
    await client.apps.list();
    expect(seen).toEqual(['https://example.com/agents/list-apps']);
  });

  it('accepts a baseUrl with a path and slashes at its end, and passes credentials on', async () => {
    const seen: unknown[] = [];
    const client = createClient({
      ...{ baseUrl: 'https://example.com/api//', headers: { 'x-key': 'k' }, credentials: 'include' },
      fetch: async (address, { credentials, cache, headers }) => {
        seen.push(address, credentials, cache, headers);
        return new Response('[]');
      },
    });
    await client.apps.list();
    expect(seen).toEqual(['https://example.com/api/list-apps', 'include', 'no-store', { 'x-key': 'k' }]);
  });
});

/** Starts a server that never finishes its response. `requested` resolves at the first request. */
async function startSilentServer(
  options: Parameters<typeof serverOf>[1] = {},
  body?: string[],
): Promise<Awaited<ReturnType<typeof serverOf>> & { requested: Promise<void> }> {
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  const started = await serverOf([() => (resolve(), { body, ending: 'silence' })], options);
  return { ...started, requested };
}

async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  const error: unknown = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  expect(ClientError.is(error)).toBe(true);
  return error as ClientError;
}

describe('ClientError.is', () => {
  it('narrows the type by its code, and keeps the type of errors with other codes', () => {
    const describeError = (error: ClientError): string | undefined => {
      if (ClientError.is(error, 'SESSION_NOT_FOUND')) {
        expectTypeOf(error.code).toEqualTypeOf<'SESSION_NOT_FOUND'>();
        return 'missing';
      }
      expectTypeOf(error).toEqualTypeOf<ClientError>();
      return error.code;
    };
    expect(describeError(new ClientError('none', { code: 'SESSION_NOT_FOUND' }))).toBe('missing');
    expect(describeError(new ClientError('busy', { code: 'SESSION_BUSY' }))).toBe('SESSION_BUSY');
  });
});

// A page installs only `@thole/client`. With pnpm it cannot import a type of `@thole/core`.
describe('types of results', () => {
  it('are exported', () => {
    expectTypeOf<Client['sessions']['get']>().returns.resolves.toEqualTypeOf<Session>();
    expectTypeOf<Client['sessions']['list']>().returns.resolves.toExtend<{ sessions: SessionSummary[] }>();
    expectTypeOf<Client['runToCompletion']>().returns.resolves.toEqualTypeOf<Event[]>();
    expectTypeOf<Client['interrupts']['list']>().returns.resolves.toEqualTypeOf<Interrupt[]>();
    expectTypeOf<Client['memory']['get']>().returns.resolves.toEqualTypeOf<MemoryEntry>();
    expectTypeOf<Client['artifacts']['metadata']>().returns.resolves.toExtend<ArtifactVersion | undefined>();
  });
});
