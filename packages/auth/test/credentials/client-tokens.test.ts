import type { AuthConfig } from '@thole/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuthFixture, user } from '../server/auth-fixture.ts';
import { OidcServer, SECRET } from '../server/oidc-server.ts';

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

function robotConfig(clientSecret = SECRET): AuthConfig {
  return {
    authScheme: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: `${server.url}/token`, scopes: { mail: 'Reads mail' } } },
    },
    rawAuthCredential: { authType: 'oauth2', oauth2: { clientId: 'robot', clientSecret } },
  };
}

describe('Client credentials grant', () => {
  it('gets one token for all users and keeps it until 60 seconds before it expires', async () => {
    const tokens = await Promise.all([fixture.loadToken(robotConfig()), fixture.loadToken(robotConfig())]);
    const { authenticator } = fixture;
    const other = await authenticator.loadCredential({ appName: 'hotel', userId: 'eve', authConfig: robotConfig() });
    expect(new Set([...tokens, other?.oauth2?.accessToken]).size).toBe(1);
    expect(server.grants).toEqual(['client_credentials']);
    expect(server.tokenRequests[0]!.body.get('scope')).toBe('mail');
    await fixture.runtime.advance(540_000);
    expect(await fixture.loadToken(robotConfig())).not.toBe(tokens[0]);
    expect(await fixture.service.listCredentialKeys(user)).toEqual([]);
  });

  it('works with discovery if the scheme lists no other grant type', async () => {
    const authScheme: AuthConfig['authScheme'] = {
      type: 'openIdConnect',
      issuer: server.url,
      grantTypesSupported: ['client_credentials'],
    };
    expect(await fixture.loadToken({ ...robotConfig(), authScheme })).toEqual(expect.any(String));
  });

  it('gets another token after deleteCredential', async () => {
    const first = await fixture.loadToken(robotConfig());
    await fixture.authenticator.deleteCredential({ ...user, authConfig: robotConfig() });
    expect(await fixture.loadToken(robotConfig())).not.toBe(first);
  });

  it('throws AUTH_SERVER_FAILED for a wrong secret, also if another secret has a token', async () => {
    await fixture.loadToken(robotConfig());
    await expect(fixture.loadToken(robotConfig('wrong-secret-of-the-client'))).rejects.toMatchObject({
      code: 'AUTH_SERVER_FAILED',
      message: expect.stringMatching(/"invalid_client"\. Check clientId, clientSecret/),
      retryable: false,
    });
  });
});
