import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sign } from 'hono/jwt';
import { serializeSigned } from 'hono/utils/cookie';
import { expect, it } from 'vitest';
import { demo } from '../demo.ts';
import { authorize as byCookie } from './cookie-authorize.ts';
import { authorize as byToken } from './jwt-authorize.ts';

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, ...path), 'utf8');

it.each(['jwt-authorize.ts', 'cookie-authorize.ts'])('is in the README as it is tested here: %s', (file) => {
  expect(read('..', '..', 'README.md')).toContain(read(file));
});

const ANN = '/apps/demo/users/ann/sessions';

it('lets in by a JWT whoever it was made for, and nobody by none, by a forged or by an old one', async () => {
  const { get } = await demo({ authorize: byToken });
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

it('lets in by a signed cookie whoever it was made for, and nobody by none or by a forged one', async () => {
  const { get } = await demo({ authorize: byCookie });
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
