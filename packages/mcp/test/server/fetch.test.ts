import { says } from '@thole/testing';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { requireBearerAuth } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { connectHttp, eras, serveClerk, textOfResult } from './support/setup.ts';
import type { Setup } from './support/setup.ts';

const ask = { name: 'clerk', arguments: { request: 'Where is my order?' } };
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: ask });

function post(url = 'http://localhost/mcp', headers: { [name: string]: string } = {}, body = call): Request {
  const accept = 'application/json, text/event-stream';
  return new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body,
  });
}

function token(extra: { [name: string]: unknown }): AuthInfo {
  return { token: 'secret', clientId: 'app', scopes: [], extra };
}

async function usersOf({ sessionService }: Setup): Promise<string[]> {
  const { sessions } = await sessionService.listSessions({ appName: 'shop' });
  return sessions.map(({ userId }) => userId).toSorted();
}

describe.each(eras)('AgentServer.fetch (%s)', (era) => {
  it('reads the user from authInfo, never from the client id of a token', async () => {
    const setup = serveClerk([says('1'), says('2')]);
    for (const extra of [{ userId: 'ada', sub: 'x' }, { sub: 'bob' }]) {
      const client = await connectHttp(setup.server, { era, source: { authInfo: token(extra) } });
      await client.callTool(ask);
    }
    expect(await usersOf(setup)).toEqual(['ada', 'bob']);
    for (const extra of [{}, { userId: 7 }]) {
      const response = await setup.server.fetch(post(), { authInfo: token(extra) });
      expect(response.status).toBe(403);
    }
  });

  it('prefers the user of authorize to the user that the request names', async () => {
    const setup = serveClerk([says('1'), says('2')], {
      options: {
        authorize: (request) => {
          const key = request.headers.get('authorization');
          if (key === null) return Response.json({ error: 'sign in' }, { status: 401 });
          return key === 'of-ada' ? { userId: 'ada' } : key === 'any' ? true : false;
        },
      },
    });
    const headers = { authorization: 'of-ada', 'x-user-id': 'bob' };
    await (await connectHttp(setup.server, { era, headers })).callTool(ask);
    await (await connectHttp(setup.server, { era, headers: { ...headers, authorization: 'any' } })).callTool(ask);
    expect(await usersOf(setup)).toEqual(['ada', 'bob']);
    expect((await setup.server.fetch(post())).status).toBe(401);
    expect((await setup.server.fetch(post(undefined, { authorization: 'wrong' }))).status).toBe(403);
  });

  it('accepts requireBearerAuth of the SDK as authorize', async () => {
    const verifyAccessToken = async (key: string): Promise<AuthInfo> => ({
      ...token({ sub: `user of ${key}` }),
      expiresAt: Date.now() / 1_000 + 60,
    });
    const authorize = requireBearerAuth({ verifier: { verifyAccessToken } });
    const setup = serveClerk([says('1')], { options: { authorize } });
    const headers = { authorization: 'Bearer k1' };
    await (await connectHttp(setup.server, { era, headers })).callTool(ask);
    expect(await usersOf(setup)).toEqual(['user of k1']);
    expect((await setup.server.fetch(post())).status).toBe(401);
  });

  it('uses the user that the request names without authorize, by default "user"', async () => {
    const setup = serveClerk([says('1'), says('2'), says('3')]);
    await (await connectHttp(setup.server, { era, url: 'http://localhost/mcp?userId=ada' })).callTool(ask);
    await (await connectHttp(setup.server, { era, headers: { 'x-user-id': 'bob' } })).callTool(ask);
    await (await connectHttp(setup.server, { era })).callTool(ask);
    expect(await usersOf(setup)).toEqual(['ada', 'bob', 'user']);
  });
});

describe('AgentServer.fetch', () => {
  it('rejects other hosts, other machines and pages of other origins without authorize', async () => {
    const { server, model } = serveClerk([says('1')]);
    const statusOf = async (request: Request, address?: string): Promise<number> =>
      (await server.fetch(request, { client: { address } })).status;
    expect(await statusOf(post('http://shop.example/mcp'))).toBe(403);
    expect(await statusOf(post('http://localhost/mcp', { host: 'rebound.example' }))).toBe(403);
    expect(await statusOf(post(), '192.0.2.7')).toBe(403);
    expect(await statusOf(post('http://localhost/mcp', { origin: 'https://evil.example' }))).toBe(403);
    expect(await statusOf(post('http://localhost/mcp', { origin: 'null' }))).toBe(403);
    expect(model.requests).toEqual([]);
    expect(await statusOf(post('http://localhost/mcp', { origin: 'http://localhost' }), '127.0.0.1')).toBe(200);
  });

  it('accepts the hosts and origins of its options', async () => {
    const options = { allowedHosts: ['shop.example'], allowedOrigins: ['https://page.example'] };
    const { server } = serveClerk([says('1')], { options: { ...options, authorize: () => true } });
    expect([server.hasAuthorize, serveClerk([]).server.hasAuthorize]).toEqual([true, false]);
    expect((await server.fetch(post('http://shop.example/mcp', { origin: 'https://page.example' }))).status).toBe(200);
    expect((await server.fetch(post())).status).toBe(403);
  });

  it('rejects a body over the limit with 413, and other bad bodies with 4xx', async () => {
    const { server, model } = serveClerk([], { options: { limits: { bodyBytes: 1_000 } } });
    const statusOf = async (body: string, headers = {}): Promise<number> =>
      (await server.fetch(post(undefined, headers, body))).status;
    expect(await statusOf(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(2_000) }))).toBe(413);
    expect(await statusOf('{')).toBe(400);
    expect(await statusOf('[]')).toBe(400);
    expect(await statusOf('7')).toBe(400);
    expect(await statusOf(call, { 'content-type': 'text/plain' })).toBe(415);
    expect(await statusOf(call, { accept: 'text/html' })).toBe(406);
    expect((await server.fetch(new Request('http://localhost/mcp'))).status).toBe(405);
    expect((await server.fetch(new Request('http://localhost/mcp', { method: 'DELETE' }))).status).toBe(405);
    expect(model.requests).toEqual([]);
  });

  it('hides the error of a hook that throws, and logs it', async () => {
    const { server, logged } = serveClerk([], {
      options: {
        authorize: () => {
          throw new Error('postgres://secret@host is down');
        },
      },
    });
    const response = await server.fetch(post());
    expect([response.status, await response.json()]).toMatchObject([500, { error: { message: 'The server failed.' } }]);
    expect(logged).toMatchObject([['error', 'A request failed.', { error: expect.stringContaining('secret') }]]);
  });

  it('answers 500 if authorize throws an error that has a status', async () => {
    const authorize = (): never => {
      throw Object.assign(new Error('The token server failed.'), { status: 502, headers: {} });
    };
    const { server, logged } = serveClerk([], { options: { authorize } });
    const response = await server.fetch(post());
    expect([response.status, await response.json()]).toMatchObject([500, { error: { message: 'The server failed.' } }]);
    expect(logged).toMatchObject([['error', 'A request failed.', { error: 'Error: The token server failed.' }]]);
  });

  it('hides the error of deps that throw', async () => {
    const options = {
      deps: () => {
        throw new Error('postgres://secret@host is down');
      },
    };
    const { server } = serveClerk([], { options });
    const result = await (await connectHttp(server)).callTool(ask);
    expect([result.isError, textOfResult(result)]).toEqual([true, 'clerk could not answer (INTERNAL).']);
  });
});
