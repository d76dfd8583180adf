import { silentLogger } from '@thole/core';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Authorized, ClientScope, Identity } from '../src/index.ts';
import { bearerToken } from '../src/index.ts';
import { ask } from './ask.ts';
import { demo, message, session, sessionPath } from './demo.ts';

const ALL = '/apps/demo/users/ann/sessions';

describe('authorize', () => {
  it.each<[object, number]>([
    [{ userId: 'ann' }, 200],
    [{ answeredBy: 'mia' }, 200],
    [{ userId: 'ann', answeredBy: undefined }, 200],
    [{ userId: 'bob', answeredBy: 'mia' }, 403],
    [{ userId: undefined, answeredBy: 'mia' }, 400],
    [{ answeredBy: undefined }, 400],
    [{ userId: 'ann', answeredBy: '' }, 400],
    [{}, 403],
  ])('accepts only objects with complete names: %j is answered with %i', async (result, status) => {
    const { get } = await demo({ authorize: () => result as Authorized, logger: silentLogger });
    expect((await get(ALL)).status).toBe(status);
  });
});

describe('rateLimit', () => {
  it.each([undefined, { origins: ['*'] }])(
    'sends one Response of a hook to several requests: cors %j',
    async (cors) => {
      const denied = new Response('Sign in first.', { status: 401, headers: { 'set-cookie': 'a=1' } });
      const { get } = await demo({ authorize: () => denied, cors });
      for (let i = 0; i < 3; i++) {
        const response = await get('/list-apps');
        expect([response.status, response.headers.get('set-cookie')]).toEqual([401, 'a=1']);
        expect(await response.text()).toBe('Sign in first.');
      }
    },
  );

  it('answers 500 in JSON if the Response of a hook cannot be sent', async () => {
    const { get } = await demo({ authorize: () => Response.error(), logger: silentLogger });
    const response = await get('/list-apps');
    expect([response.status, await response.json()]).toEqual([500, { detail: 'The server failed.', code: 'INTERNAL' }]);
  });

  it('answers 429 with Retry-After if it is known, or the Response of the hook', async () => {
    const answers = [
      { retryAfterMs: 1_500 },
      { retryAfterMs: NaN },
      { retryAfterMs: -1 },
      false,
      new Response('{"detail":"Tomorrow."}', { status: 429, headers: { 'content-type': 'application/json' } }),
      true,
    ] as const;
    let next = 0;
    const { handler } = await demo({ rateLimit: () => answers[next++]! });
    const results = [];
    for (const _ of answers) {
      const { status, headers, body } = await ask(handler, 'GET', ALL);
      results.push([status, headers.get('retry-after'), body.code ?? body.detail]);
    }
    expect(results).toEqual([
      [429, '2', 'RATE_LIMITED'],
      [429, null, 'RATE_LIMITED'],
      [429, '0', 'RATE_LIMITED'],
      [429, null, 'RATE_LIMITED'],
      [429, null, 'Tomorrow.'],
      [200, null, undefined],
    ]);
  });

  it('is called once per request, after authorize and before anything is read or run', async () => {
    const calls: [string, Identity][] = [];
    const { handler, sessions } = await demo({
      authorize(_, identity) {
        calls.push(['authorize', identity]);
        return identity.userId !== 'bob';
      },
      rateLimit(_, identity) {
        calls.push(['rateLimit', identity]);
        return { retryAfterMs: 1 };
      },
    });
    const identity = { appName: 'demo', userId: 'ann', action: 'run' };
    for (const path of ['/run', '/run_sse']) {
      expect((await ask(handler, 'POST', path, message())).status).toBe(429);
      expect(calls.splice(0)).toEqual([
        ['authorize', identity],
        ['rateLimit', identity],
      ]);
    }
    expect((await ask(handler, 'PATCH', sessionPath, 'no JSON')).status).toBe(429);
    expect(calls.splice(0).map(([hook]) => hook)).toEqual(['authorize', 'rateLimit']);
    expect((await ask(handler, 'GET', sessionPath.replace('ann', 'bob'))).status).toBe(403);
    expect(calls.splice(0).map(([hook]) => hook)).toEqual(['authorize']);
    expect((await ask(handler, 'GET', '/health')).status).toBe(200);
    expect(calls).toEqual([]);
    expect((await sessions.getSession(session))!.events).toEqual([]);
  });
});

describe('cors', () => {
  it('lets pages of listed origins read responses, and caches not mix them', async () => {
    const { get, handler } = await demo({ cors: { origins: ['https://a.example'] } });
    const headersFor = async (origin: string): Promise<(string | null)[]> => {
      const { headers } = await get('/version', { origin });
      const names = ['access-control-allow-origin', 'access-control-allow-credentials', 'vary'];
      return names.map((name) => headers.get(name));
    };
    expect(await headersFor('https://a.example')).toEqual(['https://a.example', 'true', 'Origin']);
    expect(await headersFor('https://b.example')).toEqual([null, null, 'Origin']);
    const preflight = async (origin: string): Promise<unknown[]> => {
      const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
      const init = { method: 'OPTIONS', headers: { origin, ...asked } };
      const { headers, status } = await handler(new Request('http://localhost/run', init));
      return [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')];
    };
    expect(await preflight('https://a.example')).toEqual([204, 'https://a.example', 'authorization']);
    expect(await preflight('https://b.example')).toEqual([204, null, null]);
  });

  it.each([
    ['https://a.example', 'a.example', 200],
    ['https://a.example', 'a.example:443', 200],
    ['http://a.example', 'A.example:80', 200],
    ['http://a.example:8000', 'a.example:8000', 200],
    ['http://a.example', 'a.example:443', 403],
    ['https://a.example', 'b.example:443', 403],
    ['null', '', 403],
    ['null', 'a b', 403],
  ])(
    'compares the origin %s with the Host %s, whose default port a proxy may add: %i',
    async (origin, host, status) => {
      const { run } = await demo({ answers: [says('Hello.')] });
      const response = await run('/run', {}, { headers: { origin, host } });
      expect(response.status).toBe(status);
      if (status === 403)
        expect(await response.json()).toMatchObject({
          detail: expect.stringContaining('add the origin to cors.origins'),
        });
    },
  );
});

describe('clientMayWrite', () => {
  const keys = { session: 'a', user: 'user:a', app: 'app:a', temp: 'temp:a' };
  const writes: [string, string, string, (state: object) => object][] = [
    ['creates a session', 'POST', ALL, (state) => ({ state })],
    ['creates a session with an id', 'POST', `${ALL}/t`, (state) => state],
    ['imports events', 'POST', ALL, (stateDelta) => ({ events: [{ author: 'a', actions: { stateDelta } }] })],
    ['writes state', 'PATCH', sessionPath, (stateDelta) => ({ stateDelta })],
    ['runs', 'POST', '/run', (stateDelta) => message({ stateDelta })],
    ['streams a run', 'POST', '/run_sse', (stateDelta) => message({ stateDelta })],
  ];

  it.each(writes)('allows each scope alone, and temp always, when a client %s', async (_, method, path, bodyOf) => {
    const lists: (ClientScope[] | undefined)[] = [undefined, [], ['session'], ['user'], ['app']];
    for (const clientMayWrite of lists) {
      const may: string[] = clientMayWrite ?? ['session', 'user'];
      for (const [scope, key] of Object.entries(keys)) {
        const { handler } = await demo({ clientMayWrite, answers: [says('Hello.')] });
        const { status } = await ask(handler, method, path, bodyOf({ [key]: 1 }));
        expect([clientMayWrite, scope, status]).toEqual([
          clientMayWrite,
          scope,
          scope === 'temp' || may.includes(scope) ? 200 : 403,
        ]);
      }
    }
  });
});

describe('bearerToken', () => {
  it('answers 401 with instructions for every route except health, version and the page', async () => {
    const ui = async (): Promise<{ body: string; type: string }> => ({ body: 'page', type: 'text/html' });
    const { get } = await demo({ authorize: bearerToken('secret'), ui });
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic secret' }] as Record<
      string,
      string
    >[]) {
      const answer = await get('/list-apps', headers);
      expect([answer.status, answer.headers.get('www-authenticate'), await answer.json()]).toEqual([
        401,
        'Bearer',
        {
          code: 'UNAUTHENTICATED',
          detail: 'The request must have a bearer token: send the header Authorization: Bearer <token>.',
        },
      ]);
    }
    expect((await get('/list-apps', { authorization: 'Bearer secret' })).status).toBe(200);
    for (const path of ['/health', '/version', '/dev-ui/']) expect((await get(path)).status).toBe(200);
  });
});

describe('authorize with { userId }', () => {
  it('accepts requests of this user and answers 403 to requests that name another user', async () => {
    const { handler } = await demo({ answers: [says('Hi.')], authorize: () => ({ userId: 'ann' }) });
    const statuses = [];
    for (const userId of ['ann', 'bob']) {
      const run = await ask(handler, 'POST', '/run', { ...message(), userId });
      const read = await ask(handler, 'GET', ALL.replace('ann', userId));
      statuses.push([run.status, read.status]);
    }
    expect(statuses).toEqual([
      [200, 200],
      [403, 403],
    ]);
  });

  it('passes the user to rateLimit', async () => {
    const users: unknown[] = [];
    const { handler } = await demo({
      authorize: () => ({ userId: 'ann' }),
      rateLimit: (_, { userId }) => (users.push(userId), true),
    });
    await ask(handler, 'GET', '/list-apps');
    expect(users).toEqual(['ann']);
  });

  it('answers 400 if the user id cannot be a name', async () => {
    const { handler } = await demo({ authorize: () => ({ userId: '' }) });
    expect((await ask(handler, 'GET', ALL)).status).toBe(400);
  });
});
