import { userKeyOf } from '@thole/core/kit';
import type { CredentialRecord, CredentialRecordKey, CredentialStore, UserRef } from '@thole/core';

/** Stores credentials in the memory of this process. */
export class InMemoryCredentialStore implements CredentialStore {
  readonly specVersion = 1;
  // By user, then by kind and name, joined with a space. A kind contains no space.
  readonly #users = new Map<string, Map<string, CredentialRecord>>();

  async put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
    const records = this.#users.get(userKeyOf(key)) ?? new Map<string, CredentialRecord>();
    this.#users.set(userKeyOf(key), records);
    for (const [name, { expiresAt }] of records) if (expiresAt !== undefined && expiresAt < now) records.delete(name);
    records.set(recordNameOf(key), { ...record });
  }

  async get(key: CredentialRecordKey): Promise<CredentialRecord | undefined> {
    const record = this.#users.get(userKeyOf(key))?.get(recordNameOf(key));
    return record && { ...record };
  }

  async names({ kind, ...user }: UserRef & Pick<CredentialRecordKey, 'kind'>): Promise<string[]> {
    const names = [...(this.#users.get(userKeyOf(user))?.keys() ?? [])];
    return names.filter((name) => name.startsWith(`${kind} `)).map((name) => name.slice(kind.length + 1));
  }

  async remove(key: CredentialRecordKey): Promise<void> {
    this.#users.get(userKeyOf(key))?.delete(recordNameOf(key));
  }

  async removeAll(user: UserRef): Promise<void> {
    this.#users.delete(userKeyOf(user));
  }
}

function recordNameOf({ kind, name }: CredentialRecordKey): string {
  return `${kind} ${name}`;
}
