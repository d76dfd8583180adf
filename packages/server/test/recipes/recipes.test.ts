import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sign } from 'hono/jwt';
import { serializeSigned } from 'hono/utils/cookie';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, session } from '../demo.ts';
import { authorize as authorizeByCookie } from './cookie-authorize.ts';
import { authorize as authorizeByToken } from './jwt-authorize.ts';

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, ...path), 'utf8');

describe('authorize examples', () => {
  it.each(['jwt-authorize.ts', 'cookie-authorize.ts'])('equals the code in the README: %s', (file) => {
    expect(read('..', '..', 'README.md')).toContain(read(file));
  });

  const ANN = '/apps/demo/users/ann/sessions';

  it('accepts the user of a JWT, and rejects missing, forged and expired tokens', async () => {
    const { get } = await demo({ authorize: authorizeByToken });
    const statusFor = async (path: string, token?: string): Promise<number> =>
      (await get(path, token === undefined ? {} : { authorization: `Bearer ${token}` })).status;
    const now = Math.floor(Date.now() / 1000);
    const token = await sign({ sub: 'ann', exp: now + 60 }, 'the secret', 'HS256');
    expect([await statusFor(ANN, token), await statusFor('/list-apps', token)]).toEqual([200, 200]);
    expect(await statusFor('/apps/demo/users/bob/sessions', token)).toBe(403);
    const none = `${btoa('{"alg":"none","typ":"JWT"}')}.${btoa('{"sub":"ann"}')}.`.replaceAll('=', '');
    const wrong = [
      undefined,
      'x',
      none,
      await sign({ sub: 'ann' }, 'another', 'HS256'),
      await sign({ sub: 'ann', exp: now - 1 }, 'the secret', 'HS256'),
    ];
    for (const each of wrong) expect(await statusFor(ANN, each)).toBe(401);
  });

  it('runs the chat of a page that names no user for the user of the cookie', async () => {
    const { post, sessions } = await demo({ authorize: authorizeByCookie, answers: [says('Good evening.')] });
    const headers = { cookie: await serializeSigned('user', 'ann', 'the secret') };
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const response = await post('/ui/demo/chat', { id: 's', messages }, { headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Good evening.')]);
    expect((await sessions.getSession(session))!.events).toHaveLength(2);
  });

  it('accepts the user of a signed cookie, and rejects missing and forged cookies', async () => {
    const { get } = await demo({ authorize: authorizeByCookie });
    const statusFor = async (path: string, cookie?: string): Promise<number> =>
      (await get(path, cookie === undefined ? {} : { cookie })).status;
    const cookie = await serializeSigned('user', 'ann', 'the secret');
    expect([await statusFor(ANN, cookie), await statusFor('/list-apps', cookie)]).toEqual([200, 200]);
    expect(await statusFor('/apps/demo/users/bob/sessions', cookie)).toBe(403);
    for (const each of [
      undefined,
      'user=ann',
      cookie.replace('ann', 'bob'),
      await serializeSigned('user', 'ann', 'another'),
    ])
      expect(await statusFor(ANN, each)).toBe(401);
  });
});
