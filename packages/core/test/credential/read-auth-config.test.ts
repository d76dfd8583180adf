import { describe, expect, it } from 'vitest';
import { readAuthConfig, readAuthCredential } from '../../src/kit.ts';

describe('readAuthConfig', () => {
  const camel = {
    authScheme: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://as/authorize',
          tokenUrl: 'https://as/token',
          scopes: { read_mail: 'Read mail' },
        },
      },
    },
    rawAuthCredential: { authType: 'oauth2', oauth2: { clientId: 'c', clientSecret: 's', expiresAt: 7 } },
    credentialKey: 'mail',
  };

  // Quadratic time would exceed the time limit of the test.
  it('reads a name with many underscores in linear time', () => {
    const config = { ...camel, [`${'_'.repeat(200_000)}-`]: 1 };
    expect(readAuthConfig(config)).toMatchObject({ credentialKey: 'mail' });
  });

  it('returns camelCase for both spellings, with the names of scopes unchanged', () => {
    const snake = {
      auth_scheme: { ...camel.authScheme, type: undefined, type_: 'oauth2', description: null },
      raw_auth_credential: { auth_type: 'oauth2', oauth2: { client_id: 'c', client_secret: 's', expires_at: 7 } },
      exchanged_auth_credential: null,
      credential_key: 'mail',
    };
    expect(readAuthConfig(snake)).toEqual(camel);
    expect(readAuthConfig(camel)).toEqual(camel);
  });

  it('reads the location of an API key and an OpenID Connect scheme of adk-python', () => {
    expect(readAuthConfig({ authScheme: { type_: 'apiKey', in_: 'header', name: 'X-Api-Key' } }).authScheme).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
    });
    expect(
      readAuthConfig({ authScheme: { type_: 'openIdConnect', token_endpoint: 'https://as/token', scopes: ['a_b'] } })
        .authScheme,
    ).toEqual({ type: 'openIdConnect', tokenEndpoint: 'https://as/token', scopes: ['a_b'] });
  });

  it.each([
    ['a text', 'x', 'authConfig must be an object with authScheme, got a string.'],
    ['no scheme', {}, 'authConfig.authScheme must be an object with type, got undefined.'],
    ['an unknown type', { authScheme: { type: 'magic' } }, 'authConfig.authScheme.type must be one of'],
    ['no flows', { authScheme: { type: 'oauth2' } }, 'authConfig.authScheme.flows must be an object, got undefined.'],
    [
      'a secret of a wrong type',
      {
        authScheme: { type: 'http', scheme: 'basic' },
        exchangedAuthCredential: { authType: 'oauth2', oauth2: { clientSecret: 7 } },
      },
      'authConfig.exchangedAuthCredential.oauth2.clientSecret must be a string, got a number.',
    ],
    [
      'a key that is not a string',
      { authScheme: { type: 'http', scheme: 'basic' }, credentialKey: 7 },
      'authConfig.credentialKey must be a string, got a number.',
    ],
  ])('rejects %s with INVALID_INPUT', (_, value, message) => {
    expect(() => readAuthConfig(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});

describe('readAuthCredential', () => {
  it('keeps the names of headers and members that it does not know', () => {
    const http = { scheme: 'bearer', credentials: { token: 't' }, additional_headers: { x_trace_id: '1' } };
    expect(readAuthCredential({ auth_type: 'http', http })).toEqual({
      authType: 'http',
      http: { scheme: 'bearer', credentials: { token: 't' }, additionalHeaders: { x_trace_id: '1' } },
    });
    expect(readAuthCredential({ authType: 'apiKey', apiKey: 'k', resource_ref: 'r' })).toEqual({
      authType: 'apiKey',
      apiKey: 'k',
      resourceRef: 'r',
    });
  });

  it.each([
    ['no type', {}, 'credential.authType must be one of'],
    ['an http credential without a scheme', { authType: 'http', http: {} }, 'credential.http.scheme must be a string'],
    [
      'an http credential without credentials',
      { authType: 'http', http: { scheme: 'basic' } },
      'credential.http.credentials must be an object',
    ],
  ])('rejects %s with INVALID_INPUT', (_, value, message) => {
    expect(() => readAuthCredential(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});
