import type { AuthConfig } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthFixture } from '../server/auth-fixture.ts';
import { REDIRECT_URI, SECRET } from '../server/oidc-server.ts';

let server: ProtocolServer;
let fixture: AuthFixture;
let tokens: object[];

beforeEach(async () => {
  tokens = [];
  server = await ProtocolServer.start(() => ({ body: JSON.stringify({ token_type: 'Bearer', ...tokens.shift() }) }));
  fixture = new AuthFixture(server.url);
});
afterEach(() => server.close());

/** Signs the user in at a server that adds parameters to its response. */
async function signIn(config: AuthConfig, parameters: { [name: string]: string } = {}): Promise<void> {
  const shown = await fixture.begin(config);
  const state = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!).searchParams.get('state')!;
  const query = new URLSearchParams({ code: 'c', state, ...parameters });
  await fixture.finish({ authResponseUri: `${REDIRECT_URI}?${query.toString()}`, redirectUri: REDIRECT_URI });
}

describe('token endpoint', () => {
  it('keeps the refresh token if a refresh returns no other one', async () => {
    tokens = [
      { access_token: 'a1', refresh_token: 'r1', expires_in: 100 },
      { access_token: 'a2', expires_in: 100 },
      { access_token: 'a3', refresh_token: 'r2', expires_in: 100 },
      { access_token: 'a4', expires_in: 100 },
    ];
    await signIn(fixture.fixed());
    const seen: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      await fixture.runtime.advance(100_000);
      seen.push(await fixture.loadToken(fixture.fixed()));
    }
    expect(seen).toEqual(['a2', 'a3', 'a4']);
    const sent = server.requests.slice(1).map(({ body }) => new URLSearchParams(body as string).get('refresh_token'));
    expect(sent).toEqual(['r1', 'r1', 'r2']);
  });

  it('reads errors that a server sends with status 200, such as GitHub', async () => {
    tokens = [
      { error: 'incorrect_client_credentials', error_description: 'The client_id is incorrect.' },
      { error: 'bad_verification_code' },
      { access_token: 'a1', refresh_token: 'r1', expires_in: 100 },
      { error: 'bad_refresh_token' },
    ];
    await expect(signIn(fixture.fixed())).rejects.toMatchObject({
      code: 'AUTH_SERVER_FAILED',
      message: expect.stringContaining('refused the exchange of a code with "incorrect_client_credentials"'),
    });
    await expect(fixture.passTime(signIn(fixture.fixed()))).rejects.toMatchObject({ code: 'SIGN_IN_INVALID' });
    await signIn(fixture.fixed());
    await fixture.runtime.advance(100_000);
    expect(await fixture.passTime(fixture.loadToken(fixture.fixed()))).toBeUndefined();
    expect(await fixture.loadToken(fixture.fixed())).toBeUndefined();
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    ['null members', { refresh_token: null, expires_in: null, id_token: null, scope: null }],
    ['empty members, as of programs in Go', { refresh_token: '', expires_in: 0, id_token: '', scope: '' }],
    ['a list of scopes', { scope: ['read', 'write'] }],
    ['the token type of Slack', { token_type: 'bot' }],
  ])('accepts a response with %s', async (_, members) => {
    tokens = [{ access_token: 'a1', ...members }];
    await signIn(fixture.fixed());
    expect(await fixture.loadToken(fixture.fixed())).toBe('a1');
  });

  it('sends the resource with the code and with refreshes', async () => {
    tokens = [
      { access_token: 'a1', refresh_token: 'r', expires_in: 100 },
      { access_token: 'a2', expires_in: 100 },
    ];
    const config = fixture.fixed();
    config.rawAuthCredential!.oauth2!.resource = 'https://mail.example/mcp';
    await signIn(config);
    await fixture.runtime.advance(100_000);
    expect(await fixture.loadToken(config)).toBe('a2');
    const sent = server.requests.map(({ body }) => new URLSearchParams(body as string).get('resource'));
    expect(sent).toEqual(['https://mail.example/mcp', 'https://mail.example/mcp']);
  });

  it('refreshes tokens with a short lifetime after half of it', async () => {
    tokens = [
      { access_token: 'a1', refresh_token: 'r', expires_in: 20 },
      { access_token: 'a2', expires_in: 20 },
    ];
    await signIn(fixture.fixed());
    expect(await fixture.loadToken(fixture.fixed())).toBe('a1');
    await fixture.runtime.advance(9_999);
    expect(await fixture.loadToken(fixture.fixed())).toBe('a1');
    await fixture.runtime.advance(1);
    expect(await fixture.loadToken(fixture.fixed())).toBe('a2');
  });

  it('uses a token without a lifetime until it is deleted', async () => {
    tokens = [{ access_token: 'a1' }];
    await signIn(fixture.fixed());
    await fixture.runtime.advance(1e9);
    expect(await fixture.loadToken(fixture.fixed())).toBe('a1');
  });

  it('ignores the issuer of a response if the scheme has none', async () => {
    tokens = [{ access_token: 'a1' }];
    await signIn(fixture.fixed(), { iss: 'https://login.example' });
    expect(await fixture.loadToken(fixture.fixed())).toBe('a1');
  });

  it('sends the secret in the body if the server supports only that', async () => {
    tokens = [{ access_token: 'a1' }];
    const config = fixture.openId();
    config.authScheme = {
      type: 'openIdConnect',
      authorizationEndpoint: `${server.url}/auth`,
      tokenEndpoint: `${server.url}/token`,
      tokenEndpointAuthMethodsSupported: ['client_secret_post'],
    };
    await signIn(config);
    const [request] = server.requests;
    expect(new URLSearchParams(request!.body as string).get('client_secret')).toBe(SECRET);
    expect(request!.headers['authorization']).toBeUndefined();
  });
});
