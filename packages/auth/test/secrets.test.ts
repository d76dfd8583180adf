import type { AuthConfig } from '@thole/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthFixture, interrupt, user } from './server/auth-fixture.ts';
import { OidcServer, SECRET } from './server/oidc-server.ts';

let server: OidcServer;

beforeAll(async () => {
  server = await OidcServer.start();
});
afterAll(() => server.close());

/** Returns all texts in a value, with those of errors and their causes. */
function textsIn(value: unknown): string {
  if (value instanceof Error)
    return [value.message, value.stack, textsIn(value.cause), textsIn(Object.entries(value))].join('\n');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${textsIn(member)}`)
    .join('\n');
}

describe('Secrets of a sign-in', () => {
  it('appear in no result, error or log line (contract 44)', async () => {
    const fixture = new AuthFixture(server.url);
    const { authenticator, service, runtime } = fixture;
    const results: unknown[] = [];
    const record = async (work: Promise<unknown>): Promise<void> => {
      results.push(await work.catch((error: unknown) => error));
    };
    const config = fixture.openId();
    const credentialKey = await authenticator.credentialKey(config);
    const response = await fixture.respond(config);
    const pendingOAuth = (await service.loadPendingAuth(interrupt))!.authConfig.exchangedAuthCredential!.oauth2!;
    const code = new URL(response.exchangedAuthCredential!.oauth2!.authResponseUri!).searchParams.get('code')!;
    await record(fixture.begin(config));
    await record(
      fixture.finish({ ...response, exchangedAuthCredential: { authType: 'oauth2', oauth2: { state: 'x' } } }),
    );
    const failing = fixture.another({
      fetch: async (url, init) => {
        if (init?.method !== 'POST') return fetch(url, init);
        throw new Error(`no route for ${(init.body as URLSearchParams).toString()} ${JSON.stringify(init.headers)}`);
      },
    });
    await record(failing.finishSignIn({ ...interrupt, response }));
    await record(fixture.finish(response));
    const { refreshToken, accessToken } = (await service.loadCredential({ ...user, credentialKey }))!.oauth2!;
    await runtime.advance(3_599_000);
    await record(failing.loadCredential({ ...user, authConfig: config }).then(() => undefined));
    await runtime.advance(1_000);
    await record(failing.loadCredential({ ...user, authConfig: config }));
    const wrong: AuthConfig = fixture.openId('web', 'another-wrong-secret');
    await record(authenticator.loadCredential({ ...user, authConfig: wrong }));

    expect(results.map((each) => (each instanceof Error ? (each as { code?: string }).code : 'returned'))).toEqual([
      ...['returned', 'SIGN_IN_INVALID', 'AUTH_SERVER_FAILED', 'returned', 'returned', 'AUTH_SERVER_FAILED'],
      'AUTH_SERVER_FAILED',
    ]);
    expect(runtime.logs.length).toBe(1);
    const texts = textsIn([results, runtime.logs]);
    const basic = server.tokenRequests[0]!.authorization!.replace('Basic ', '');
    const secrets = [
      SECRET,
      basic,
      'another-wrong-secret',
      pendingOAuth.codeVerifier!,
      code,
      refreshToken!,
      accessToken!,
    ];
    expect(secrets.every((secret) => secret.length > 6)).toBe(true);
    expect(secrets.filter((secret) => texts.includes(secret))).toEqual([]);
  });
});
