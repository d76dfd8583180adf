import { InMemoryCredentialService, InMemoryCredentialStore } from '@thole/mem-services';
import { credentialServiceCases, FixedRuntime, register } from '@thole/testing';
import { StoredCredentialService } from '@thole/core';
import type { CredentialRecord, CredentialRecordKey } from '@thole/core';
import { describe, expect, it } from 'vitest';

const keyA = `a:${btoa('a'.repeat(32))}`;
const keyB = `b:${btoa('b'.repeat(32))}`;
const ref = { appName: 'app', userId: 'u', credentialKey: 'k' };
const credential = { authType: 'apiKey', apiKey: 'very-secret' } as const;

register({ describe, it }, credentialServiceCases, {
  name: 'InMemoryCredentialService',
  create: (runtime) => new InMemoryCredentialService({ runtime }),
});

register({ describe, it }, credentialServiceCases, {
  name: 'InMemoryCredentialService with encryption',
  create: (runtime) => new InMemoryCredentialService({ runtime, encryptionKeys: keyA }),
});

class RecordingStore extends InMemoryCredentialStore {
  readonly contents: string[] = [];
  override put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
    this.contents.push(record.content);
    return super.put(key, record, now);
  }
}

describe('StoredCredentialService with encryptionKeys', () => {
  const runtime = new FixedRuntime();
  const serviceOver = (store: RecordingStore, encryptionKeys?: string): StoredCredentialService =>
    new StoredCredentialService(store, { runtime, ...(encryptionKeys !== undefined && { encryptionKeys }) });

  it('stores no secret as plain text', async () => {
    const store = new RecordingStore();
    await serviceOver(store, keyA).saveCredential({ ...ref, credential });
    expect(store.contents).toEqual([expect.stringMatching(/^a1\.a\./)]);
    expect(store.contents.join()).not.toContain('secret');
  });

  it('reads records of an older key and writes with the first key', async () => {
    const store = new RecordingStore();
    await serviceOver(store, keyA).saveCredential({ ...ref, credential });
    const service = serviceOver(store, `${keyB},${keyA}`);
    expect(await service.loadCredential(ref)).toEqual(credential);
    await service.saveCredential({ ...ref, credential });
    expect(store.contents[1]).toMatch(/^a1\.b\./);
    expect(await serviceOver(store, keyB).loadCredential(ref)).toEqual(credential);
  });

  it('rejects records of a missing or different key with CREDENTIAL_UNREADABLE', async () => {
    const store = new RecordingStore();
    await serviceOver(store, keyA).saveCredential({ ...ref, credential });
    const wrong = `a:${btoa('c'.repeat(32))}`;
    for (const keys of [keyB, wrong, undefined]) {
      await expect(serviceOver(store, keys).loadCredential(ref)).rejects.toMatchObject({
        code: 'CREDENTIAL_UNREADABLE',
      });
    }
    await expect(serviceOver(store, wrong).saveCredential({ ...ref, credential })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
    });
    expect(store.contents).toHaveLength(1);
  });

  it('replaces and deletes a record whose key is lost', async () => {
    const store = new RecordingStore();
    await serviceOver(store, keyA).saveCredential({ ...ref, credential });
    const service = serviceOver(store, keyB);
    await service.saveCredential({ ...ref, credential });
    expect(await service.loadCredential(ref)).toEqual(credential);
    await serviceOver(store, `c:${btoa('c'.repeat(32))}`).deleteCredential(ref);
    expect(await service.loadCredential(ref)).toBeUndefined();
  });

  it('rejects a record that was moved to another user', async () => {
    const store = new RecordingStore();
    await serviceOver(store, keyA).saveCredential({ ...ref, credential });
    const moved = { appName: 'app', userId: 'eve', kind: 'credential', name: 'k' } as const;
    await store.put(moved, { content: store.contents[0]! }, 0);
    await expect(serviceOver(store, keyA).loadCredential({ ...ref, userId: 'eve' })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
    });
  });
});

describe('InMemoryCredentialService', () => {
  it('rejects unknown options and invalid keys', () => {
    expect(() => new InMemoryCredentialService({ key: 'a' } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    expect(() => new InMemoryCredentialService({ encryptionKeys: 'a' })).toThrow(
      expect.objectContaining({ code: 'CREDENTIAL_KEYS_INVALID' }),
    );
  });
});
