import type { AuthConfig } from '@thole/core';
import { InMemoryCredentialService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { OAuthAuthenticator } from '../src/index.ts';
import type { OAuthAuthenticatorOptions } from '../src/index.ts';
import { user } from './server/auth-fixture.ts';

const credentialService = new InMemoryCredentialService();

describe('OAuthAuthenticator', () => {
  it.each<[string, Partial<Record<keyof OAuthAuthenticatorOptions | 'retries', unknown>>, string]>([
    ['credentialService', { credentialService: {} }, 'credentialService must be a CredentialService'],
    ['timeoutMs', { timeoutMs: 0 }, 'timeoutMs must be'],
    ['refreshBeforeMs', { refreshBeforeMs: -1 }, 'refreshBeforeMs must be a finite number of milliseconds ≥ 0'],
    ['refreshBeforeMs', { refreshBeforeMs: Infinity }, 'refreshBeforeMs must be a finite number of milliseconds ≥ 0'],
    ['refreshBeforeMs', { refreshBeforeMs: '9' }, 'must be a finite number of milliseconds ≥ 0, got a string.'],
    ['privateHosts', { privateHosts: ['http://localhost'] }, 'privateHosts must be a list of host names'],
    ['privateHosts', { privateHosts: ['localhost:8080'] }, 'privateHosts must be a list of host names'],
    ['privateHosts', { privateHosts: ['[::1]:8080'] }, 'privateHosts must be a list of host names'],
    ['fetch', { fetch: 'x' }, 'fetch must be a function'],
    ['retries', { retries: 1 }, 'retries'],
  ])('rejects a wrong option %s with INVALID_INPUT', (_, options, message) => {
    const create = (): unknown =>
      new OAuthAuthenticator({ credentialService, ...options } as OAuthAuthenticatorOptions);
    expect(create).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });

  it('accepts host names and IP addresses as privateHosts', () => {
    const privateHosts = ['localhost', 'login.example.internal', '10.0.0.1', '::1', '[::1]', 'fd00::1'];
    expect(() => new OAuthAuthenticator({ credentialService, privateHosts })).not.toThrow();
  });

  it.each<[string, AuthConfig]>([
    [
      'an API key',
      {
        authScheme: { type: 'apiKey', in: 'header', name: 'X-Key' },
        rawAuthCredential: { authType: 'apiKey', apiKey: 'k' },
      },
    ],
    [
      'a bearer token',
      {
        authScheme: { type: 'http', scheme: 'bearer' },
        rawAuthCredential: { authType: 'http', http: { scheme: 'bearer', credentials: { token: 't' } } },
      },
    ],
    [
      'a user name and a password',
      {
        authScheme: { type: 'http', scheme: 'basic' },
        rawAuthCredential: {
          authType: 'http',
          http: { scheme: 'basic', credentials: { username: 'u', password: 'p' } },
        },
      },
    ],
    [
      'a service account',
      {
        authScheme: { type: 'openIdConnect', issuer: 'https://login.example' },
        rawAuthCredential: { authType: 'serviceAccount', serviceAccount: { useDefaultCredential: true } },
      },
    ],
  ])('returns %s of the config unchanged', async (_, authConfig) => {
    const authenticator = new OAuthAuthenticator({ credentialService: new InMemoryCredentialService() });
    expect(await authenticator.loadCredential({ ...user, authConfig })).toEqual(authConfig.rawAuthCredential);
  });

  it("prefers the user's API key to the one of the config", async () => {
    const authenticator = new OAuthAuthenticator({ credentialService: new InMemoryCredentialService() });
    const authConfig: AuthConfig = {
      authScheme: { type: 'apiKey', in: 'header', name: 'X-Key' },
      rawAuthCredential: { authType: 'apiKey', apiKey: 'shared' },
    };
    await authenticator.saveCredential({ ...user, authConfig, credential: { authType: 'apiKey', apiKey: 'own' } });
    expect(await authenticator.loadCredential({ ...user, authConfig })).toEqual({ authType: 'apiKey', apiKey: 'own' });
    await authenticator.deleteCredential({ ...user, authConfig });
    expect(await authenticator.loadCredential({ ...user, authConfig })).toEqual({
      authType: 'apiKey',
      apiKey: 'shared',
    });
  });

  it('rejects a config of another shape with INVALID_INPUT', async () => {
    const authenticator = new OAuthAuthenticator({ credentialService });
    const authConfig = { authScheme: { type: 'magic' } } as unknown as AuthConfig;
    await expect(authenticator.loadCredential({ ...user, authConfig })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

describe('OAuthAuthenticator with a wrong authScheme', () => {
  const authenticator = new OAuthAuthenticator({ credentialService });
  const flow = { authorizationUrl: 'https://login.example/authorize', tokenUrl: 'https://login.example/token' };
  it.each<[object, string]>([
    [{ type: 'http' }, 'authScheme.scheme must be a string such as bearer, got undefined.'],
    [{ type: 'openIdConnect', scopes: 'openid' }, 'authScheme.scopes must be a list of strings, got a string.'],
    [
      { type: 'oauth2', flows: { authorizationCode: { ...flow, scopes: ['mail'] } } },
      'authScheme.flows.authorizationCode.scopes must be an object of scopes and their descriptions, got an array.',
    ],
    [
      { type: 'oauth2', flows: { clientCredentials: 'x' } },
      'authScheme.flows.clientCredentials must be an object, got a string.',
    ],
  ])('rejects %o with INVALID_INPUT', async (authScheme, message) => {
    const oauth2 = { clientId: 'web', clientSecret: 'secret' };
    const authConfig = { authScheme, rawAuthCredential: { authType: 'oauth2', oauth2 } } as AuthConfig;
    const expected = { code: 'INVALID_INPUT', message };
    await expect(authenticator.loadCredential({ ...user, authConfig })).rejects.toMatchObject(expected);
    const signIn = authenticator.beginSignIn({ ...user, interruptId: 'i', authConfig });
    await expect(signIn).rejects.toMatchObject(expected);
  });
});

describe('OAuthAuthenticator.credentialKey', () => {
  const authenticator = new OAuthAuthenticator({ credentialService });
  const config = (change: object = {}, oauth2: object = {}): AuthConfig => ({
    authScheme: {
      type: 'openIdConnect',
      openIdConnectUrl: 'https://login.example/.well-known/openid-configuration',
      scopes: ['openid', 'mail'],
      ...change,
    },
    rawAuthCredential: { authType: 'oauth2', oauth2: { clientId: 'web', clientSecret: 'secret', ...oauth2 } },
  });

  it('returns the key of the config', async () => {
    expect(await authenticator.credentialKey({ ...config(), credentialKey: 'mail' })).toBe('mail');
  });

  it('does not depend on secret, description and order of scopes', async () => {
    const key = await authenticator.credentialKey(config());
    expect(key).toMatch(/^openIdConnect_[0-9a-f]{32}$/);
    const equal = config({ scopes: ['mail', 'openid'], description: 'x' }, { clientSecret: 'other' });
    expect(await authenticator.credentialKey(equal)).toBe(key);
  });

  it('differs by server, scopes, client, audience, resource and type', async () => {
    const configs = [
      config(),
      config({ scopes: ['openid'] }),
      config({ openIdConnectUrl: 'https://other.example/.well-known/openid-configuration' }),
      config({}, { clientId: 'other' }),
      config({}, { audience: 'https://mail.example' }),
      config({}, { resource: 'https://mail.example' }),
      { ...config(), authScheme: { type: 'apiKey', in: 'header', name: 'X' } as const },
      { ...config(), authScheme: { type: 'apiKey', in: 'query', name: 'X' } as const },
      { ...config(), authScheme: { type: 'http', scheme: 'bearer' } as const },
    ];
    const keys = await Promise.all(configs.map((each) => authenticator.credentialKey(each)));
    expect(new Set(keys).size).toBe(configs.length);
  });
});
