import { systemRuntime } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { afterEach, describe, expect, it } from 'vitest';
import { AuthFetch } from '../../src/http/auth-fetch.ts';
import type { AuthFetchOptions } from '../../src/http/auth-fetch.ts';

const servers: ProtocolServer[] = [];
const get = { method: 'GET', headers: {} };

async function serve(answer: ServerAnswer): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(() => answer);
  servers.push(server);
  return server;
}

function create(options: Partial<AuthFetchOptions> = {}): AuthFetch {
  return new AuthFetch({
    fetch: undefined,
    timeoutMs: 30_000,
    privateHosts: ['127.0.0.1'],
    runtime: systemRuntime(),
    ...options,
  });
}

const failed = (message: string, retryable: boolean): object =>
  expect.objectContaining({ code: 'AUTH_SERVER_FAILED', message: expect.stringContaining(message), retryable });

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

describe('AuthFetch', () => {
  it('does not follow redirects', async () => {
    const other = await serve({ body: '{}' });
    const server = await serve({ status: 307, headers: { location: `${other.url}/stolen` } });
    const body = new URLSearchParams({ client_secret: 'secret' });
    const request = { method: 'POST', headers: {}, body };
    await expect(create().send(`${server.url}/token`, request)).rejects.toEqual(failed('redirected /token', false));
    expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it.each(['https://127.0.0.1:1/token', 'https://[::1]:1/token', 'https://2130706433/', 'https://[::ffff:10.0.0.1]/'])(
    'sends no request to the private address %s',
    async (url) => {
      const sent = { count: 0 };
      const fetch: typeof globalThis.fetch = () => {
        sent.count += 1;
        return Promise.reject(new Error('sent'));
      };
      await expect(create({ privateHosts: [], fetch }).send(url, get)).rejects.toEqual(
        failed('has a private address', false),
      );
      expect(sent.count).toBe(0);
    },
  );

  it('sends no request to a name that resolves to a private address', async () => {
    const request = create({ privateHosts: ['127.0.0.1'] }).send('https://localhost:1/token', get);
    await expect(request).rejects.toEqual(failed('"localhost" has a private address', false));
    await expect(request).rejects.toThrow('add "localhost" to the option privateHosts of OAuthAuthenticator.');
  });

  it.each(['http://login.example/token', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'javascript:alert(1)', '/token'])(
    'rejects the address %s with INVALID_INPUT',
    async (url) => {
      await expect(create().send(url, get)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );

  it('ends a request that is not answered in time', async () => {
    const server = await serve({ ending: 'silence' });
    await expect(create({ timeoutMs: 50 }).send(server.url, get)).rejects.toEqual(
      failed('did not answer in 50 ms', true),
    );
    await server.allEnded();
  });

  it('ends a request whose answer stops in the middle', async () => {
    const server = await serve({ body: '{"access_token":', ending: 'silence' });
    await expect(create({ timeoutMs: 50 }).send(server.url, get)).rejects.toEqual(
      failed('did not answer in 50 ms', true),
    );
    await server.allEnded();
  });

  it('throws AUTH_SERVER_FAILED when the connection breaks or no server answers', async () => {
    const server = await serve({ body: '{"a":', ending: 'cut' });
    const { url } = server;
    await expect(create().send(url, get)).rejects.toEqual(failed('cannot be reached', true));
    await server.close();
    await expect(create().send(url, get)).rejects.toEqual(failed('cannot be reached', true));
  });

  it('stops reading a response of more than 1 MiB', async () => {
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        await Promise.resolve();
        yield 'x'.repeat(65_536);
      }
    }
    const server = await serve({ body: endless() });
    await expect(create().send(server.url, get)).rejects.toEqual(failed('more than 1048576 bytes', false));
    await server.allEnded();
  });
});
