import { TholeError } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { afterEach, describe, expect, it } from 'vitest';
import { AuthFixture } from '../server/auth-fixture.ts';
import { REDIRECT_URI, SECRET } from '../server/oidc-server.ts';

let server: ProtocolServer | undefined;

afterEach(() => server?.close());

/** Exchanges a code. `prepare` may change the answer for the new sign-in. */
async function exchange(
  answer: ServerAnswer,
  scopes: { [scope: string]: string } = {},
  prepare: (p: { url: string; nonce: string | null }) => void = () => {},
): Promise<unknown> {
  server = await ProtocolServer.start(() => answer);
  const fixture = new AuthFixture(server.url);
  const shown = await fixture.begin(fixture.fixed({ scopes, issuer: server.url }));
  const { searchParams } = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!);
  const state = searchParams.get('state')!;
  prepare({ url: server.url, nonce: searchParams.get('nonce') });
  const query = new URLSearchParams({ code: 'the-code-of-the-sign-in', state });
  const response = { authResponseUri: `${REDIRECT_URI}?${query.toString()}`, redirectUri: REDIRECT_URI };
  return fixture.finish(response).catch((error: unknown) => error);
}

const refusal = (status: number, error: string, error_description?: string): ServerAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="clients"' },
  body: JSON.stringify({ error, error_description }),
});

describe('Errors of the token endpoint', () => {
  it.each<[string, ServerAnswer, string, boolean]>([
    ['invalid_client', refusal(401, 'invalid_client'), 'with "invalid_client". Check clientId, clientSecret', false],
    ['unauthorized_client', refusal(400, 'unauthorized_client'), 'Allow this grant type', false],
    ['an unknown code', refusal(400, 'odd'), 'with "odd". Check the configuration', false],
    ['a code that is not valid', refusal(400, 'not a code'), 'with "unknown_error"', false],
    ['temporarily_unavailable', refusal(400, 'temporarily_unavailable'), 'Try again later', true],
    ['a code with status 503', refusal(503, 'invalid_request'), 'Try again later', true],
    ['status 500', { status: 500, body: '<html>' }, 'with status 500. Try again later', true],
    ['status 429', { status: 429, body: '' }, 'with status 429. Try again later', true],
    ['status 404', { status: 404, body: '' }, 'with status 404. Check the endpoints', false],
    ['HTML', { body: '<html>', headers: { 'content-type': 'text/html' } }, 'with an invalid response', false],
    ['JSON that is not an object', { body: '[]' }, 'with an invalid response', false],
    ['no token type', { body: '{"access_token":"abcdef"}' }, 'with an invalid response', false],
    ['another token type', { body: '{"access_token":"abcdef","token_type":"mac"}' }, 'with an invalid response', false],
  ])('throws AUTH_SERVER_FAILED for %s', async (_, answer, message, retryable) => {
    expect(await exchange(answer)).toEqual(
      expect.objectContaining({ code: 'AUTH_SERVER_FAILED', message: expect.stringContaining(message), retryable }),
    );
  });

  it('throws AUTH_SERVER_FAILED for a missing ID token, and for one of another client', async () => {
    const tokens = { access_token: 'abcdef', token_type: 'Bearer' };
    const scopes = { openid: 'Signs in' };
    expect(await exchange({ body: JSON.stringify(tokens) }, scopes)).toMatchObject({ code: 'AUTH_SERVER_FAILED' });
    await server?.close();
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'https://evil.example', aud: 'other', sub: 'ada', nonce: 'x', iat: 1, exp: 9_999_999_999 };
    const id_token = `${part({ alg: 'RS256' })}.${part(claims)}.AA`;
    const body = JSON.stringify({ ...tokens, id_token });
    const error = await exchange({ body }, scopes);
    expect(error).toMatchObject({ code: 'AUTH_SERVER_FAILED' });
    expect(((error as TholeError).cause as Error).message).toBe('unexpected JWT "iss" (issuer) claim value');
  });

  it('names the clock for an ID token that has expired', async () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const answer: { body: string } = { body: '' };
    const asked = exchange(answer, { openid: 'Signs in' }, ({ url, nonce }) => {
      const claims = { iss: url, aud: 'web', sub: 'ada', nonce, iat: 1_000, exp: 2_000 };
      const id_token = `${part({ alg: 'RS256' })}.${part(claims)}.AA`;
      answer.body = JSON.stringify({ access_token: 'abcdef', token_type: 'Bearer', id_token });
    });
    expect(await asked).toMatchObject({
      code: 'AUTH_SERVER_FAILED',
      message: expect.stringContaining('do not fit the clock of this computer. Set the clock.'),
    });
  });

  it('contain no header of the request that the server repeats (contract 44)', async () => {
    const basic = Buffer.from(`web:${encodeURIComponent(SECRET).replaceAll('-', '%2D')}`).toString('base64');
    const error = await exchange(refusal(400, 'invalid_request', `Bad header: Basic ${basic}`));
    expect(server!.requests.at(-1)!.headers['authorization']).toBe(`Basic ${basic}`);
    expect(((error as TholeError).cause as Error).message).toMatch('Bad header: Basic [redacted]');
  });

  it('keeps the description as cause, without secrets of the request (contract 44)', async () => {
    const description = `client web with ${SECRET} sent the-code-of-the-sign-in`;
    const error = await exchange(refusal(400, 'invalid_request', description));
    expect(TholeError.is(error)).toBe(true);
    expect(((error as TholeError).cause as Error).message).toMatch('client web with [redacted] sent [redacted]');
    expect(Object.keys((error as TholeError).cause as Error)).toEqual(['name']);
  });
});
