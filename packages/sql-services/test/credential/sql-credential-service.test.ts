import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseCredentialService, SqlCredentialStore } from '@thole/sql-services';
import type { DatabaseCredentialServiceOptions } from '@thole/sql-services';
import { credentialServiceCases, FixedRuntime, register } from '@thole/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const keyA = `a:${btoa('a'.repeat(32))}`;
const keyB = `b:${btoa('b'.repeat(32))}`;
const ref = { appName: 'app', userId: 'u', credentialKey: 'k' };
const credential = { authType: 'apiKey', apiKey: 'very-secret' } as const;
const signIn = { authConfig: { authScheme: { type: 'apiKey', in: 'header', name: 'x' } } } as const;

register({ describe, it }, credentialServiceCases, {
  name: 'DatabaseCredentialService (SQLite)',
  claims: ['durable'],
  create: (runtime) => files.create((dbUrl) => new DatabaseCredentialService({ dbUrl, runtime, encryptionKeys: keyA })),
  reopen: (service, runtime) =>
    new DatabaseCredentialService({ dbUrl: files.urlOf(service), runtime, encryptionKeys: keyA }),
  destroy: (service) => (service as DatabaseCredentialService).close(),
});

function openService(options: string | DatabaseCredentialServiceOptions): DatabaseCredentialService {
  const service = new DatabaseCredentialService(options);
  onTestFinished(() => service.close());
  return service;
}

function withKeysInEnvironment(keys: string | undefined): void {
  vi.stubEnv('THOLE_CREDENTIAL_KEYS', keys);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('DatabaseCredentialService', () => {
  it('encrypts with the first key of THOLE_CREDENTIAL_KEYS and decrypts with all (contract 44)', async () => {
    const { path, dbUrl } = files.next();
    withKeysInEnvironment(keyA);
    await openService(dbUrl).saveCredential({ ...ref, credential });
    withKeysInEnvironment(`${keyB},${keyA}`);
    const service = openService(dbUrl);
    expect(await service.loadCredential(ref)).toEqual(credential);
    await service.saveCredential({ ...ref, credentialKey: 'k2', credential });
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    const rows = file.prepare('SELECT content FROM thole_credentials ORDER BY record_name').all();
    expect(rows.map((row) => String(row['content']).slice(0, 5))).toEqual(['a1.a.', 'a1.b.']);
    await expect(openService({ dbUrl, encryptionKeys: keyB }).loadCredential(ref)).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
    });
  });

  it('throws CREDENTIAL_KEYS_INVALID without keys (contract 44)', () => {
    for (const keys of [undefined, '', 'a:short']) {
      withKeysInEnvironment(keys);
      expect(() => new DatabaseCredentialService('sqlite://:memory:')).toThrowError(
        expect.objectContaining({ code: 'CREDENTIAL_KEYS_INVALID' }),
      );
    }
  });

  it('rejects unknown options with INVALID_INPUT (contract 42)', () => {
    const options = { dbUrl: 'sqlite://:memory:', encryptionKeys: keyA, codec: {} } as never;
    expect(() => new DatabaseCredentialService(options)).toThrowError(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('codec') }),
    );
  });

  it('leaves no replaced or deleted text in the bytes of the file (contract 12)', async () => {
    const { path, dbUrl } = files.next();
    const store = new SqlCredentialStore({ dbUrl });
    onTestFinished(() => store.close());
    const key = { appName: 'app', userId: 'u', kind: 'credential', name: 'k' } as const;
    const bytes = (): string => [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1')).join();
    await store.put(key, { content: 'FIRST-TEXT' }, 1);
    expect(bytes()).toContain('FIRST-TEXT');
    await store.put(key, { content: 'SECOND-TEXT' }, 1);
    expect(bytes()).not.toContain('FIRST-TEXT');
    await store.remove(key);
    await store.put(key, { content: 'THIRD-TEXT' }, 1);
    await store.removeAll({ appName: 'app', userId: 'u' });
    expect(bytes()).not.toMatch(/SECOND-TEXT|THIRD-TEXT/);
  });

  it('rewrites the file without unused space in compact(), as the other services do', async () => {
    const { path, dbUrl } = files.next();
    const service = openService({ dbUrl, encryptionKeys: keyA });
    await service.saveCredential({ ...ref, credential });
    const file = new DatabaseSync(path);
    file.exec('CREATE TABLE other (content); INSERT INTO other VALUES (zeroblob(1000000)); DROP TABLE other');
    file.close();
    await service.compact();
    expect(statSync(path).size).toBeLessThan(1_000_000);
    expect(await service.loadCredential(ref)).toEqual(credential);
  });

  it("removes expired sign-ins at the user's next write (contract 44)", async () => {
    const { path, dbUrl } = files.next();
    const runtime = new FixedRuntime();
    const service = openService({ dbUrl, runtime, encryptionKeys: keyA });
    const save = (userId: string, interruptId: string, expiresAt?: number): Promise<void> =>
      service.savePendingAuth({ appName: 'app', userId, interruptId, pending: { ...signIn, expiresAt } });
    await save('u', 'expired', runtime.now() + 10);
    await save('u', 'later', runtime.now() + 90);
    await save('u', 'forever');
    await save('other', 'expired', runtime.now() + 10);
    await runtime.advance(20_000);
    await service.saveCredential({ ...ref, credential });
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    const rows = file.prepare('SELECT user_id, record_name FROM thole_credentials ORDER BY user_id, record_name').all();
    expect(rows.map((row) => Object.values(row).join(' '))).toEqual(['other expired', 'u forever', 'u k', 'u later']);
  });

  it('throws STORE_VERSION for a record of a later version', async () => {
    const { path, dbUrl } = files.next();
    const service = openService({ dbUrl, encryptionKeys: keyA });
    await service.saveCredential({ ...ref, credential });
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    file.exec('UPDATE thole_credentials SET v = 2');
    await expect(service.loadCredential(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });

  it('creates the tables in migrate() and answers ping()', async () => {
    await using service = new DatabaseCredentialService({
      dbUrl: 'sqlite://:memory:',
      encryptionKeys: keyA,
      autoMigrate: false,
    });
    await service.ping();
    await expect(service.loadCredential(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    await service.migrate();
    expect(await service.loadCredential(ref)).toBeUndefined();
  });
});
