import type { AuthConfig } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { Answering } from '@thole/testing/http';
import { afterEach, describe, expect, it } from 'vitest';
import { AuthFixture, interrupt } from '../server/auth-fixture.ts';

const servers: ProtocolServer[] = [];

async function serve(answer: (path: string, url: string) => object | undefined): Promise<AuthFixture> {
  const answering: Answering = ({ path }) => {
    const body = answer(path, server.url);
    return body ? { body: JSON.stringify(body) } : { status: 404, body: '{}' };
  };
  const server = await ProtocolServer.start(answering);
  servers.push(server);
  return new AuthFixture(server.url);
}

const endpoints = (url: string): object => ({
  authorization_endpoint: `${url}/auth`,
  token_endpoint: `${url}/token`,
});

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

describe('discovery', () => {
  it('reads the document once per hour, and once for concurrent calls', async () => {
    const fixture = await serve((_, issuer) => ({ issuer, ...endpoints(issuer) }));
    const { authenticator } = fixture;
    const begin = (interruptId: string): Promise<AuthConfig> =>
      authenticator.beginSignIn({ ...interrupt, interruptId, authConfig: fixture.openId() });
    await Promise.all([begin('a'), begin('b')]);
    await begin('c');
    expect(servers[0]!.requests.map(({ path }) => path)).toEqual(['/.well-known/openid-configuration']);
    await fixture.runtime.advance(3_600_000);
    await begin('d');
    expect(servers[0]!.requests.length).toBe(2);
  });

  it('reads the document again after an hour, also if the clock was set back', async () => {
    const fixture = await serve((_, issuer) => ({ issuer, ...endpoints(issuer) }));
    const { authenticator, runtime } = fixture;
    await authenticator.beginSignIn({ ...interrupt, authConfig: fixture.openId() });
    runtime.now = () => 1_600_000_000;
    await runtime.advance(3_600_000);
    await authenticator.beginSignIn({ ...interrupt, interruptId: 'b', authConfig: fixture.openId() });
    expect(servers[0]!.requests.length).toBe(2);
  });

  it('finds an OAuth server by the issuer of the scheme', async () => {
    const path = '/.well-known/oauth-authorization-server/tenant';
    const fixture = await serve((requestedPath, url) =>
      requestedPath === path ? { issuer: `${url}/tenant`, ...endpoints(url) } : undefined,
    );
    const config = fixture.openId();
    config.authScheme = {
      type: 'oauth2',
      issuer: `${fixture.url}/tenant`,
      flows: { authorizationCode: { scopes: {} } },
    };
    const shown = await fixture.begin(config);
    expect(shown.exchangedAuthCredential?.oauth2?.authUri).toMatch(`${fixture.url}/auth?`);
  });

  it('prefers endpoints of the scheme', async () => {
    const fixture = await serve((_, issuer) => ({ issuer, ...endpoints(issuer) }));
    const config = fixture.openId();
    Object.assign(config.authScheme, { authorizationEndpoint: `${fixture.url}/mine` });
    const shown = await fixture.begin(config);
    expect(shown.exchangedAuthCredential?.oauth2?.authUri).toMatch(`${fixture.url}/mine?`);
  });

  it.each<[string, (url: string) => object | undefined, object]>([
    [
      'another issuer',
      (url) => ({ issuer: 'https://evil.example', ...endpoints(url) }),
      {
        code: 'AUTH_SERVER_FAILED',
        message: expect.stringContaining('names another issuer. Correct authScheme.issuer'),
      },
    ],
    ['no issuer', (url) => endpoints(url), { code: 'AUTH_SERVER_FAILED' }],
    ['status 404', () => undefined, { code: 'AUTH_SERVER_FAILED', message: expect.stringContaining('status 404') }],
    ['no endpoints', (url) => ({ issuer: url }), { code: 'INVALID_INPUT' }],
    [
      'an address that runs code in the browser',
      (url) => ({ issuer: url, ...endpoints(url), authorization_endpoint: 'javascript:alert(1)' }),
      { code: 'INVALID_INPUT' },
    ],
    [
      'a token endpoint without HTTPS',
      (url) => ({ issuer: url, ...endpoints(url), token_endpoint: 'http://evil.example/token' }),
      { code: 'INVALID_INPUT' },
    ],
  ])('rejects a document with %s', async (_, answer, expected) => {
    const fixture = await serve((_path, url) => answer(url));
    await expect(fixture.begin(fixture.openId())).rejects.toMatchObject(expected);
  });

  it('requires the issuer for a document at another address', async () => {
    const fixture = await serve((path, url) => (path === '/doc' ? { issuer: url, ...endpoints(url) } : undefined));
    const config = fixture.openId();
    config.authScheme = { type: 'openIdConnect', openIdConnectUrl: `${fixture.url}/doc` };
    await expect(fixture.begin(config)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    config.authScheme.issuer = fixture.url;
    expect(await fixture.begin(config)).toMatchObject({ exchangedAuthCredential: { authType: 'openIdConnect' } });
  });
});
