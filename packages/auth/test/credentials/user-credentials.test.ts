import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuthFixture, interrupt, user } from '../server/auth-fixture.ts';
import { OidcServer } from '../server/oidc-server.ts';

const HOUR_MS = 3_600_000;
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

describe('OAuthAuthenticator.loadCredential', () => {
  it('returns undefined before the user has signed in, and for another user', async () => {
    const authConfig = fixture.openId();
    expect(await fixture.loadToken(authConfig)).toBeUndefined();
    await fixture.signIn(authConfig);
    expect(await fixture.authenticator.loadCredential({ ...user, userId: 'eve', authConfig })).toBeUndefined();
    expect(await fixture.authenticator.loadCredential({ ...user, appName: 'x', authConfig })).toBeUndefined();
  });

  it('returns tokens without refresh token and client secret', async () => {
    const authConfig = fixture.openId();
    await fixture.signIn(authConfig);
    expect(await fixture.authenticator.loadCredential({ ...user, authConfig })).toEqual({
      authType: 'openIdConnect',
      oauth2: {
        clientId: 'web',
        accessToken: expect.any(String),
        idToken: expect.any(String),
        expiresAt: fixture.runtime.now() + 3_600,
      },
    });
  });

  it('refreshes a token 60 seconds before it expires', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    const first = await fixture.loadToken(config);
    await fixture.runtime.advance(HOUR_MS - 60_001);
    expect(await fixture.loadToken(config)).toBe(first);
    await fixture.runtime.advance(1);
    const second = await fixture.loadToken(config);
    expect(second).not.toBe(first);
    expect(await fixture.loadToken(config)).toBe(second);
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('refreshes with refreshUrl if the scheme has one', async () => {
    const config = fixture.fixed();
    await fixture.signIn(config);
    if (config.authScheme.type !== 'oauth2') throw new Error('unexpected scheme');
    config.authScheme.flows.authorizationCode!.refreshUrl = `${server.url}/missing`;
    await fixture.runtime.advance(HOUR_MS);
    await expect(fixture.loadToken(config)).rejects.toMatchObject({ code: 'AUTH_SERVER_FAILED' });
    expect(server.paths.at(-1)).toBe('/missing');
  });

  it('sends one refresh for concurrent calls of one user and credential', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    await fixture.runtime.advance(HOUR_MS);
    const tokens = await Promise.all(Array.from({ length: 10 }, () => fixture.loadToken(config)));
    expect(new Set(tokens).size).toBe(1);
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('does not end a shared refresh when one caller aborts', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    await fixture.runtime.advance(HOUR_MS);
    const controller = new AbortController();
    const reason = new Error('left');
    const { authenticator } = fixture;
    const aborted = authenticator.loadCredential({ ...user, authConfig: config, signal: controller.signal });
    const other = fixture.loadToken(config);
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    expect(await other).toEqual(expect.any(String));
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('keeps the tokens of a process that refreshed at the same time', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    await fixture.runtime.advance(HOUR_MS);
    let first: string | undefined;
    const other = fixture.another({
      fetch: async (url, init) => {
        if (init?.method === 'POST') first = await fixture.loadToken(config);
        return fetch(url, init);
      },
    });
    expect(await fixture.loadToken(config, other)).toBe(first);
    expect(first).toEqual(expect.any(String));
    expect(await fixture.loadToken(config)).toBe(first);
  });

  it('does not restore a credential that was deleted during its refresh', async () => {
    const authConfig = fixture.openId();
    await fixture.signIn(authConfig);
    await fixture.runtime.advance(HOUR_MS);
    const other = fixture.another({
      fetch: async (url, init) => {
        if (init?.method === 'POST') await fixture.authenticator.deleteCredential({ ...user, authConfig });
        return fetch(url, init);
      },
    });
    expect(await fixture.loadToken(authConfig, other)).toBeUndefined();
    expect(await fixture.service.listCredentialKeys(user)).toEqual([]);
  });

  it('deletes a credential whose refresh token is no longer accepted, and returns undefined', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    const credentialKey = await fixture.authenticator.credentialKey(config);
    const stored = (await fixture.service.loadCredential({ ...user, credentialKey }))!;
    stored.oauth2!.refreshToken = 'used-before';
    await fixture.service.saveCredential({ ...user, credentialKey, credential: stored });
    await fixture.runtime.advance(HOUR_MS);
    expect(await fixture.passTime(fixture.loadToken(config))).toBeUndefined();
    expect(await fixture.service.listCredentialKeys(user)).toEqual([]);
  });

  it('waits for the result of a process that the server accepted with the same refresh token', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    const credentialKey = await fixture.authenticator.credentialKey(config);
    const expired = (await fixture.service.loadCredential({ ...user, credentialKey }))!;
    await fixture.runtime.advance(HOUR_MS);
    const first = await fixture.loadToken(config);
    const refreshed = (await fixture.service.loadCredential({ ...user, credentialKey }))!;
    // The state between the answer of the server and the write of the other process.
    await fixture.service.saveCredential({ ...user, credentialKey, credential: expired });
    const rejected = fixture.loadToken(config, fixture.another());
    fixture.runtime.timer(300, () => {
      void fixture.service.saveCredential({ ...user, credentialKey, credential: refreshed });
    });
    expect(await fixture.passTime(rejected)).toBe(first);
    expect(await fixture.loadToken(config)).toBe(first);
  });

  it('returns undefined for an expired token without a refresh token', async () => {
    const authConfig = fixture.openId();
    const oauth2 = { accessToken: 'short', expiresAt: fixture.runtime.now() + 30 };
    await fixture.authenticator.saveCredential({ ...user, authConfig, credential: { authType: 'oauth2', oauth2 } });
    expect(await fixture.loadToken(authConfig)).toBe('short');
    await fixture.runtime.advance(30_000);
    expect(await fixture.loadToken(authConfig)).toBeUndefined();
  });

  it('returns a valid token when its early refresh fails, and logs a warning', async () => {
    const config = fixture.openId();
    await fixture.signIn(config);
    const first = await fixture.loadToken(config);
    const failing = fixture.another({ fetch: () => Promise.reject(new Error('no network')) });
    await fixture.runtime.advance(HOUR_MS - 1_000);
    expect(await fixture.loadToken(config, failing)).toBe(first);
    expect(fixture.runtime.logs).toMatchObject([{ level: 'warn', fields: { code: 'AUTH_SERVER_FAILED' } }]);
    await fixture.runtime.advance(1_000);
    await expect(fixture.loadToken(config, failing)).rejects.toMatchObject({
      code: 'AUTH_SERVER_FAILED',
      retryable: true,
    });
    expect(await fixture.loadToken(config)).not.toBe(first);
  });

  it('requests another sign-in after the client was replaced', async () => {
    const config = { ...fixture.openId(), credentialKey: 'mail' };
    await fixture.signIn(config);
    expect(await fixture.loadToken(config)).toEqual(expect.any(String));
    expect(await fixture.loadToken({ ...fixture.openId('web-post'), credentialKey: 'mail' })).toBeUndefined();
  });

  it('returns the access token of the config until it expires', async () => {
    const config = fixture.openId();
    Object.assign(config.rawAuthCredential!.oauth2!, { accessToken: 'given', expiresAt: fixture.runtime.now() + 5 });
    expect(await fixture.loadToken(config)).toBe('given');
    await fixture.runtime.advance(5_000);
    expect(await fixture.loadToken(config)).toBeUndefined();
  });

  it('rejects with the reason of an aborted signal before any request', async () => {
    const reason = new Error('stopped');
    const signal = AbortSignal.abort(reason);
    const { authenticator } = fixture;
    const authConfig = fixture.openId();
    await expect(authenticator.loadCredential({ ...user, authConfig, signal })).rejects.toBe(reason);
    await expect(authenticator.beginSignIn({ ...interrupt, authConfig, signal })).rejects.toBe(reason);
    await expect(authenticator.finishSignIn({ ...interrupt, response: {}, signal })).rejects.toBe(reason);
    expect(server.paths).toEqual([]);
  });
});

describe('OAuthAuthenticator.deleteUserCredentials', () => {
  it('deletes credentials and sign-ins of the user (contract 44)', async () => {
    await fixture.signIn(fixture.openId());
    await fixture.authenticator.deleteUserCredentials(user);
    expect(await fixture.loadToken(fixture.openId())).toBeUndefined();
    expect(await fixture.service.loadPendingAuth(interrupt)).toBeUndefined();
  });

  it('deletes a sign-in whose code is being exchanged, and nothing is stored afterwards (contract 44)', async () => {
    const response = await fixture.respond(fixture.openId());
    const other = fixture.another({
      fetch: async (url, init) => {
        if (init?.method === 'POST') await fixture.authenticator.deleteUserCredentials(user);
        return fetch(url, init);
      },
    });
    await expect(other.finishSignIn({ ...interrupt, response })).rejects.toMatchObject({ code: 'SIGN_IN_INVALID' });
    expect(await fixture.service.listCredentialKeys(user)).toEqual([]);
    expect(await fixture.service.loadPendingAuth(interrupt)).toBeUndefined();
  });
});
