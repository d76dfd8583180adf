import type { AuthConfig } from '@thole/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuthFixture, interrupt, user } from '../server/auth-fixture.ts';
import { OidcServer, REDIRECT_URI, SECRET } from '../server/oidc-server.ts';

let server: OidcServer;
let fixture: AuthFixture;

beforeAll(async () => {
  server = await OidcServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.clear();
  fixture = new AuthFixture(server.url);
});

const invalid = (message: string): object =>
  expect.objectContaining({ code: 'SIGN_IN_INVALID', message: expect.stringContaining(message) });

describe('OAuthAuthenticator.beginSignIn', () => {
  it('returns scheme, key and an address with PKCE, state and nonce, and nothing else (contract 44)', async () => {
    const config = fixture.openId();
    const shown = await fixture.begin(config);
    const credentialKey = await fixture.authenticator.credentialKey(config);
    const { authUri } = shown.exchangedAuthCredential!.oauth2!;
    expect(shown).toEqual({
      authScheme: config.authScheme,
      credentialKey,
      exchangedAuthCredential: { authType: 'openIdConnect', oauth2: { authUri } },
    });
    const { pathname, searchParams } = new URL(authUri!);
    expect(pathname).toBe('/auth');
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'web',
      scope: 'mail offline_access openid',
      prompt: 'consent',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('stores state, nonce, verifier and client secret until the sign-in expires (contract 44)', async () => {
    const shown = await fixture.begin(fixture.openId());
    const { searchParams } = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!);
    const pending = await fixture.service.loadPendingAuth(interrupt);
    expect(pending?.authConfig.rawAuthCredential?.oauth2?.clientSecret).toBe(SECRET);
    expect(pending?.authConfig.exchangedAuthCredential?.oauth2).toEqual({
      authUri: shown.exchangedAuthCredential!.oauth2!.authUri,
      state: searchParams.get('state'),
      nonce: searchParams.get('nonce'),
      codeVerifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    await fixture.runtime.advance(600_000);
    expect(await fixture.service.loadPendingAuth(interrupt)).toBeUndefined();
  });

  it('returns the same address again for the same interrupt and config, another one otherwise', async () => {
    const shown = await fixture.begin(fixture.openId());
    expect(await fixture.begin(fixture.openId())).toEqual(shown);
    const other = await fixture.begin(fixture.openId('web-post'));
    expect(other).not.toEqual(shown);
    expect(await fixture.begin(fixture.openId())).not.toEqual(shown);
  });

  it('keeps the address and extends the expiry if it begins again later', async () => {
    const shown = await fixture.begin(fixture.openId());
    await fixture.runtime.advance(500_000);
    expect(await fixture.begin(fixture.openId())).toEqual(shown);
    await fixture.runtime.advance(500_000);
    expect(await fixture.service.loadPendingAuth(interrupt)).toBeDefined();
  });

  it('adds redirect URI, audience and resource, and keeps parameters of the configured address', async () => {
    const { authScheme } = fixture.fixed();
    if (authScheme.type !== 'oauth2') throw new Error('unexpected scheme');
    authScheme.flows.authorizationCode!.authorizationUrl += '?access_type=offline&state=mine';
    const oauth2 = {
      ...{ clientId: 'public', redirectUri: REDIRECT_URI },
      ...{ audience: 'https://mail.example', resource: 'https://mail.example/mcp' },
    };
    const shown = await fixture.begin({ authScheme, rawAuthCredential: { authType: 'oauth2', oauth2 } });
    const { searchParams } = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!);
    expect(searchParams.get('access_type')).toBe('offline');
    expect(searchParams.get('redirect_uri')).toBe(REDIRECT_URI);
    expect(searchParams.get('audience')).toBe('https://mail.example');
    expect(searchParams.get('resource')).toBe('https://mail.example/mcp');
    expect(searchParams.getAll('state')).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  it('requests a refresh token from Google', async () => {
    const oauth2 = { clientId: 'web', clientSecret: SECRET };
    const shown = await fixture.begin({
      authScheme: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
            tokenUrl: 'https://oauth2.googleapis.com/token',
          },
        },
      },
      rawAuthCredential: { authType: 'oauth2', oauth2 },
    });
    const { searchParams } = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!);
    expect([searchParams.get('access_type'), searchParams.get('prompt')]).toEqual(['offline', 'consent']);
  });

  it.each<[string, (config: AuthConfig) => void, string]>([
    ['no client id', (config) => delete config.rawAuthCredential!.oauth2!.clientId, 'oauth2.clientId must be a string'],
    [
      'no secret for its authentication method',
      ({ rawAuthCredential }) => {
        rawAuthCredential!.oauth2 = { clientId: 'web', tokenEndpointAuthMethod: 'client_secret_post' };
      },
      'oauth2.clientSecret must be a string',
    ],
    [
      'an unknown authentication method',
      (config) => {
        config.rawAuthCredential!.oauth2!.tokenEndpointAuthMethod = 'guess';
      },
      "tokenEndpointAuthMethod must be one of 'client_secret_basic'",
    ],
    [
      'only the client credentials flow',
      (config) => {
        config.authScheme = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: `${server.url}/token` } } };
      },
      'No user can sign in',
    ],
    [
      'no endpoints',
      (config) => {
        config.authScheme = { type: 'oauth2', flows: {} };
      },
      'Set authScheme.flows.authorizationCode.authorizationUrl',
    ],
    [
      'no endpoints of OpenID Connect',
      (config) => {
        config.authScheme = { type: 'openIdConnect' };
      },
      'Set authScheme.openIdConnectUrl',
    ],
    [
      'an address that is not HTTPS',
      (config) => {
        config.authScheme = {
          type: 'openIdConnect',
          openIdConnectUrl: 'http://login.example/.well-known/openid-configuration',
        };
      },
      'authScheme.openIdConnectUrl must begin with https://',
    ],
    [
      'an address with a password',
      (config) => {
        config.authScheme = { type: 'openIdConnect', issuer: 'https://user:word@login.example' };
      },
      'must be a URL without user name and password',
    ],
  ])('rejects a config with %s with INVALID_INPUT, and stores nothing', async (_, change, message) => {
    const config = fixture.openId();
    change(config);
    await expect(fixture.begin(config)).rejects.toEqual(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
    expect(await fixture.service.loadPendingAuth(interrupt)).toBeUndefined();
  });
});

describe('OAuthAuthenticator.finishSignIn', () => {
  it('exchanges the response with the verifier and stores the credential (contract 44)', async () => {
    const config = fixture.openId();
    const credentialKey = await fixture.authenticator.credentialKey(config);
    const response = await fixture.respond(config);
    expect(await fixture.finish(response)).toEqual({ credentialKey, status: 'received' });
    expect(server.grants).toEqual(['authorization_code']);
    expect(server.tokenRequests[0]!.body.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    expect(await fixture.service.loadCredential({ ...user, credentialKey })).toEqual({
      authType: 'openIdConnect',
      oauth2: {
        clientId: 'web',
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        idToken: expect.any(String),
        expiresIn: 3_600,
        expiresAt: fixture.runtime.now() + 3_600,
      },
    });
  });

  it.each<[string, (response: AuthConfig) => unknown]>([
    ['snake_case', (response) => toSnakeCase(response)],
    ['a JSON text in response', (response) => ({ response: JSON.stringify(response) })],
    ['authResponseUri and redirectUri only', (response) => response.exchangedAuthCredential!.oauth2],
  ])('accepts a response as %s', async (_, convert) => {
    const response = await fixture.respond(fixture.openId());
    expect(await fixture.finish(convert(response))).toMatchObject({ status: 'received' });
  });

  it.each([
    ['client_secret_basic', 'web', SECRET, true],
    ['client_secret_post', 'web-post', SECRET, false],
    ['none', 'public', undefined, false],
  ])('authenticates the client with %s', async (method, clientId, secret, usesHeader) => {
    const config = fixture.openId(clientId, secret);
    config.rawAuthCredential!.oauth2 = { clientId, clientSecret: secret, tokenEndpointAuthMethod: method };
    await fixture.signIn(config);
    const [request] = server.tokenRequests;
    expect(request!.authorization !== undefined).toBe(usesHeader);
    expect(request!.body.get('client_secret')).toBe(method === 'client_secret_post' ? SECRET : null);
    expect(await fixture.loadToken(config)).toEqual(expect.any(String));
  });

  it('works with fixed endpoints, and checks ID tokens if the issuer is known', async () => {
    const scopes = { openid: 'Signs in' };
    await fixture.signIn(fixture.fixed({ scopes, issuer: server.url }));
    const known = await fixture.authenticator.loadCredential({
      ...user,
      authConfig: fixture.fixed({ scopes, issuer: server.url }),
    });
    expect(known?.oauth2?.idToken).toEqual(expect.any(String));
    await fixture.authenticator.forgetSignIn(interrupt);
    await fixture.signIn(fixture.fixed({ scopes }));
    const unknown = await fixture.authenticator.loadCredential({ ...user, authConfig: fixture.fixed({ scopes }) });
    expect(unknown?.oauth2).toEqual({
      clientId: 'web',
      accessToken: expect.any(String),
      expiresAt: fixture.runtime.now() + 3_600,
    });
  });

  it('ignores scheme and client of the response (contract 44)', async () => {
    const response = await fixture.respond(fixture.openId());
    response.authScheme = {
      type: 'openIdConnect',
      issuer: 'https://evil.example',
      tokenEndpoint: 'https://evil.example/t',
    };
    response.rawAuthCredential = { authType: 'oauth2', oauth2: { clientId: 'evil' } };
    response.exchangedAuthCredential!.oauth2!.clientId = 'evil';
    response.exchangedAuthCredential!.oauth2!.codeVerifier = 'evil';
    response.credentialKey = 'evil';
    expect(await fixture.finish(response)).toMatchObject({ status: 'received' });
    expect(await fixture.loadToken(fixture.openId())).toEqual(expect.any(String));
  });

  it('returns the same result for a repeated response without another exchange (contract 44)', async () => {
    const response = await fixture.respond(fixture.openId());
    const first = await fixture.finish(response);
    expect(await Promise.all([fixture.finish(response), fixture.finish('anything')])).toEqual([first, first]);
    expect(server.grants).toEqual(['authorization_code']);
    const kept = JSON.stringify(await fixture.service.loadPendingAuth(interrupt));
    expect(kept).not.toContain(SECRET);
    expect(kept).not.toContain('codeVerifier');
  });

  it('exchanges a response once if it arrives several times concurrently', async () => {
    const response = await fixture.respond(fixture.openId());
    const results = await Promise.all([fixture.finish(response), fixture.finish(response), fixture.finish(response)]);
    expect(results.map(({ status }) => status)).toEqual(['received', 'received', 'received']);
    expect(server.grants).toEqual(['authorization_code']);
  });

  it('stores the credential although the caller aborted during the exchange', async () => {
    const response = await fixture.respond(fixture.openId());
    const controller = new AbortController();
    const reason = new Error('left');
    const other = fixture.another({
      fetch: async (url, init) => {
        if (init?.method === 'POST') controller.abort(reason);
        return fetch(url, init);
      },
    });
    const finishing = other.finishSignIn({ ...interrupt, response, signal: controller.signal });
    await expect(finishing).rejects.toBe(reason);
    expect(await other.finishSignIn({ ...interrupt, response })).toMatchObject({ status: 'received' });
    expect(server.grants).toEqual(['authorization_code']);
  });

  it('returns a refusal of the user with the error code of the server', async () => {
    const config = fixture.openId();
    const credentialKey = await fixture.authenticator.credentialKey(config);
    const response = await fixture.respond(config, { refuses: true });
    expect(await fixture.finish(response)).toEqual({ credentialKey, status: 'denied', error: 'access_denied' });
    expect(await fixture.finish({ error: 'access_denied' })).toMatchObject({
      status: 'denied',
      error: 'access_denied',
    });
    expect(await fixture.finish({ error: 'no\ncode' })).toMatchObject({ status: 'denied', error: 'unknown_error' });
    expect(server.grants).toEqual([]);
  });

  it('throws AUTH_SERVER_FAILED for a temporary error of the server, and the sign-in stays open', async () => {
    const shown = await fixture.begin(fixture.openId());
    const state = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!).searchParams.get('state');
    const query = new URLSearchParams({ error: 'server_error', state: state!, iss: server.url });
    const response = { authResponseUri: `${REDIRECT_URI}?${query.toString()}`, redirectUri: REDIRECT_URI };
    await expect(fixture.finish(response)).rejects.toMatchObject({ code: 'AUTH_SERVER_FAILED', retryable: true });
    const authResponseUri = await fixture.openAuthUri(shown);
    expect(await fixture.finish({ authResponseUri, redirectUri: REDIRECT_URI })).toMatchObject({ status: 'received' });
  });

  it.each<[string, (uri: string) => unknown, string]>([
    ['another state', (uri) => change(uri, 'state', 'x'), 'does not fit the sign-in: unexpected "state"'],
    ['no state', (uri) => change(uri, 'state'), 'does not fit the sign-in: response parameter "state" missing'],
    ['a refusal without state', (uri) => change(change(uri, 'state'), 'error', 'access_denied'), '"state" missing'],
    ['another issuer', (uri) => change(uri, 'iss', 'https://evil.example'), 'unexpected "iss"'],
    ['no code', (uri) => change(uri, 'code'), 'has no code'],
    ['two codes', (uri) => `${uri}&code=x`, 'has several codes'],
    ['a wrong code', (uri) => change(uri, 'code', 'x'), 'did not accept the code'],
    [
      'another redirect URI',
      (uri) => ({ authResponseUri: uri, redirectUri: 'https://evil.example/' }),
      'must begin with redirectUri',
    ],
    ['no redirect URI', (uri) => ({ authResponseUri: uri }), 'must have redirectUri'],
    ['no address', () => ({ authResponseUri: 'x', redirectUri: REDIRECT_URI }), 'must have authResponseUri'],
    ['no known member', () => ({ confirmed: true }), 'must have exchangedAuthCredential'],
    ['another type', () => 7, 'must be an object'],
    ['a wrong credential', () => ({ exchangedAuthCredential: { authType: 'x' } }), 'exchangedAuthCredential.authType'],
  ])('rejects a response with %s with SIGN_IN_INVALID, and the sign-in stays open', async (_, convert, message) => {
    const shown = await fixture.begin(fixture.openId());
    const authResponseUri = await fixture.openAuthUri(shown);
    const wrong = convert(authResponseUri);
    const response = typeof wrong === 'string' ? { authResponseUri: wrong, redirectUri: REDIRECT_URI } : wrong;
    await expect(fixture.passTime(fixture.finish(response))).rejects.toEqual(invalid(message));
    expect(await fixture.loadToken(fixture.openId())).toBeUndefined();
    const again = await fixture.openAuthUri(shown);
    expect(await fixture.finish({ authResponseUri: again, redirectUri: REDIRECT_URI })).toMatchObject({
      status: 'received',
    });
  });

  it('rejects a response of another user, for another sign-in, and after its expiry', async () => {
    const response = await fixture.respond(fixture.openId());
    const { authenticator } = fixture;
    const unknown = invalid('unknown or has expired');
    await expect(authenticator.finishSignIn({ ...interrupt, userId: 'eve', response })).rejects.toEqual(unknown);
    await expect(authenticator.finishSignIn({ ...interrupt, interruptId: 'x', response })).rejects.toEqual(unknown);
    await fixture.runtime.advance(600_000);
    await expect(fixture.finish(response)).rejects.toEqual(unknown);
    expect(server.grants).toEqual([]);
  });

  it('returns success if another process has exchanged the code', async () => {
    const response = await fixture.respond(fixture.openId());
    const other = fixture.another({
      fetch: async (url, init) => {
        if (init?.method === 'POST') await fixture.finish(response);
        return fetch(url, init);
      },
    });
    expect(await other.finishSignIn({ ...interrupt, response })).toMatchObject({ status: 'received' });
    expect(server.grants).toEqual(['authorization_code', 'authorization_code']);
  });

  it('returns success if another process has exchanged the code and still stores its result', async () => {
    const response = await fixture.respond(fixture.openId());
    const open = (await fixture.service.loadPendingAuth(interrupt))!;
    await fixture.finish(response);
    const exchanged = (await fixture.service.loadPendingAuth(interrupt))!;
    // The state between the answer of the server and the write of the other process.
    await fixture.service.savePendingAuth({ ...interrupt, pending: open });
    const finishing = fixture.another().finishSignIn({ ...interrupt, response });
    fixture.runtime.timer(300, () => void fixture.service.savePendingAuth({ ...interrupt, pending: exchanged }));
    expect(await fixture.passTime(finishing)).toMatchObject({ status: 'received' });
  });

  it.each<[AuthConfig['authScheme'], object]>([
    [
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { authType: 'apiKey', apiKey: '' },
    ],
    [
      { type: 'http', scheme: 'basic' },
      { authType: 'http', http: { scheme: 'basic', credentials: { username: '' } } },
    ],
  ])('rejects an empty credential for %o', async (authScheme, exchangedAuthCredential) => {
    await fixture.begin({ authScheme });
    await expect(fixture.finish({ exchangedAuthCredential })).rejects.toEqual(invalid('must not be empty'));
    expect(await fixture.authenticator.loadCredential({ ...user, authConfig: { authScheme } })).toBeUndefined();
  });

  it('stores an API key or a token that the user entered, and nothing else of the response', async () => {
    const apiKey: AuthConfig = { authScheme: { type: 'apiKey', in: 'header', name: 'X-Key' } };
    expect(await fixture.begin(apiKey)).toEqual({ ...apiKey, credentialKey: expect.any(String) });
    await expect(fixture.finish({ authResponseUri: 'https://x.example' })).rejects.toEqual(invalid('.apiKey'));
    await fixture.finish({
      exchangedAuthCredential: { authType: 'apiKey', apiKey: 'k1', oauth2: { accessToken: 'x' } },
    });
    const stored = await fixture.authenticator.loadCredential({ ...user, authConfig: apiKey });
    expect(stored).toEqual({ authType: 'apiKey', apiKey: 'k1' });

    const http: AuthConfig = { authScheme: { type: 'http', scheme: 'bearer' } };
    await fixture.begin(http);
    await fixture.finish({
      exchanged_auth_credential: { auth_type: 'http', http: { scheme: 'bearer', credentials: { token: 't1' } } },
    });
    const token = await fixture.authenticator.loadCredential({ ...user, authConfig: http });
    expect(token).toEqual({ authType: 'http', http: { scheme: 'bearer', credentials: { token: 't1' } } });
  });
});

function change(uri: string, name: string, value?: string): string {
  const url = new URL(uri);
  if (value === undefined) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url.href;
}

function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toSnakeCase(member),
  ]);
  return Object.fromEntries(entries) as unknown;
}
