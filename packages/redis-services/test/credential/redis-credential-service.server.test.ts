import { RedisCredentialService, RedisCredentialStore } from '@thole/redis-services';
import type { RedisCredentialServiceOptions, TextCodec } from '@thole/redis-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';

const user = { appName: 'app', userId: 'u' };
const credential = { authType: 'apiKey' as const, apiKey: 'very-secret' };
const pending = { authConfig: { authScheme: { type: 'apiKey' as const, in: 'header' as const, name: 'x' } } };
const keyA = `a:${btoa('a'.repeat(32))}`;
const keyB = `b:${btoa('b'.repeat(32))}`;

describeWith('redis', 'RedisCredentialService', (url) => {
  const client = clientTo(url);
  let count = 0;
  afterAll(() => client.quit());
  const nextPrefix = (): string => `credentials/${process.pid}/${count++}/`;
  const createService = (keyPrefix: string, options: RedisCredentialServiceOptions = {}): RedisCredentialService =>
    new RedisCredentialService(client, { keyPrefix, encryptionKeys: keyA, ...options });

  it('stores no secret in readable form, and leaves no key of a deleted user (contracts 12, 44)', async () => {
    const keyPrefix = nextPrefix();
    const service = createService(keyPrefix);
    await service.saveCredential({ ...user, credentialKey: 'k', credential });
    await service.savePendingAuth({ ...user, interruptId: 'i', pending: { ...pending, expiresAt: 9_999_999_999 } });
    const stored = await client.hgetall(`${keyPrefix}{app|u}:a`);
    expect(Object.keys(stored).toSorted()).toEqual(['credential k', 'signIn i']);
    for (const value of Object.values(stored)) expect(value).toContain('"content":"a1.a.');
    expect(JSON.stringify(stored)).not.toContain('secret');
    expect(await client.pttl(`${keyPrefix}{app|u}:a`)).toBe(-1);
    await service.deleteUserCredentials(user);
    expect(await client.keys(`${keyPrefix}*`)).toEqual([]);
  });

  it('removes expired sign-ins, and the keys of a user who has only sign-ins (contract 44)', async () => {
    const keyPrefix = nextPrefix();
    const runtime = new FixedRuntime();
    const service = createService(keyPrefix, { runtime });
    const [records, expiries] = [`${keyPrefix}{app|u}:a`, `${keyPrefix}{app|u}:ax`];
    const begin = (interruptId: string, seconds: number): Promise<void> =>
      service.savePendingAuth({
        ...user,
        interruptId,
        pending: { ...pending, expiresAt: runtime.now() + seconds },
      });
    await begin('soon', 10);
    await begin('later', 100);
    for (const key of [records, expiries]) {
      expect(await client.pttl(key)).toBeGreaterThan(150_000);
      expect(await client.pttl(key)).toBeLessThanOrEqual(160_000);
    }
    await runtime.advance(10_500);
    await service.saveCredential({ ...user, credentialKey: 'k', credential });
    expect((await client.hkeys(records)).toSorted()).toEqual(['credential k', 'signIn later']);
    for (const key of [records, expiries]) expect(await client.pttl(key)).toBe(-1);
    await service.deletePendingAuth({ ...user, interruptId: 'later' });
    expect(await client.exists(expiries)).toBe(0);
    expect(await service.loadCredential({ ...user, credentialKey: 'k' })).toEqual(credential);
  });

  it('keeps a record that replaces an expiring one (contract 44)', async () => {
    const keyPrefix = nextPrefix();
    const store = new RedisCredentialStore(client, { keyPrefix });
    const key = { ...user, kind: 'signIn' as const, name: 'i' };
    await store.put(key, { content: 'first', expiresAt: 50 }, 10);
    await store.put(key, { content: 'second' }, 11);
    await store.put({ ...key, name: 'other' }, { content: 'x' }, 99);
    expect(await store.get(key)).toEqual({ content: 'second' });
  });

  it('reads the keys from THOLE_CREDENTIAL_KEYS, and decrypts with every key (contract 44)', async () => {
    const keyPrefix = nextPrefix();
    const earlier = process.env['THOLE_CREDENTIAL_KEYS'];
    onTestFinished(() => {
      if (earlier === undefined) delete process.env['THOLE_CREDENTIAL_KEYS'];
      else process.env['THOLE_CREDENTIAL_KEYS'] = earlier;
    });
    delete process.env['THOLE_CREDENTIAL_KEYS'];
    const make = (): RedisCredentialService => new RedisCredentialService(client, { keyPrefix });
    expect(make).toThrow(expect.objectContaining({ code: 'CREDENTIAL_KEYS_INVALID' }));
    process.env['THOLE_CREDENTIAL_KEYS'] = keyB;
    await make().saveCredential({ ...user, credentialKey: 'k', credential });
    process.env['THOLE_CREDENTIAL_KEYS'] = `${keyA},${keyB}`;
    expect(await make().loadCredential({ ...user, credentialKey: 'k' })).toEqual(credential);
    await expect(createService(keyPrefix).loadCredential({ ...user, credentialKey: 'k' })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
    });
  });

  it('encodes with a codec, and throws STORE_VERSION for records that it cannot read (contract 44)', async () => {
    const keyPrefix = nextPrefix();
    const codec: TextCodec = {
      encode: (text) => Buffer.from(text).reverse(),
      decode: (stored) =>
        Buffer.from(stored as Uint8Array)
          .reverse()
          .toString(),
    };
    const ref = { ...user, credentialKey: 'k' };
    await createService(keyPrefix, { codec }).saveCredential({ ...ref, credential });
    expect(await client.hget(`${keyPrefix}{app|u}:a`, 'credential k')).not.toContain('a1.a.');
    expect(await createService(keyPrefix, { codec }).loadCredential(ref)).toEqual(credential);
    await expect(createService(keyPrefix).loadCredential(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    await client.hset(`${keyPrefix}{app|u}:a`, 'credential k', '{"v":2}');
    await expect(createService(keyPrefix).loadCredential(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });

  it('resolves ping, and rejects invalid clients and options (contract 42)', async () => {
    await expect(createService(nextPrefix()).ping()).resolves.toBeUndefined();
    const bad: [unknown, unknown][] = [
      [undefined, { encryptionKeys: keyA }],
      [client, 5],
      [client, { encryptionKeys: keyA, sessionTtlMs: 1 }],
      [client, { encryptionKeys: keyA, timeoutMs: 0 }],
    ];
    for (const [given, options] of bad) {
      const make = (): unknown => new RedisCredentialService(given as never, options as never);
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
    for (const encryptionKeys of ['', 'a', 'a:short']) {
      expect(() => createService(nextPrefix(), { encryptionKeys })).toThrow(
        expect.objectContaining({ code: 'CREDENTIAL_KEYS_INVALID' }),
      );
    }
  });
});
