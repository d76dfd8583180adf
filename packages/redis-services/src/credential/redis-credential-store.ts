import { decodeText, encodeText } from '@thole/core/kit';
import type { CredentialRecord, CredentialRecordKey, CredentialStore, TextCodec, UserRef } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import { openRedis } from '../client/open-redis.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisClient } from '../client/redis-client.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { redisScript } from '../client/redis-script.ts';

const getCredential = redisScript('credential/get-credential');
const listCredentials = redisScript('credential/list-credentials');
const putCredential = redisScript('credential/put-credential');
const removeCredential = redisScript('credential/remove-credential');
const removeCredentials = redisScript('credential/remove-credentials');

/** Stores credentials in Redis: one hash per user. The caller encrypts the content. A codec encodes it again. */
export class RedisCredentialStore implements CredentialStore {
  readonly specVersion = 1;
  readonly #keys: RedisKeys;
  readonly #calls: RedisCalls;
  readonly #codec: TextCodec | undefined;

  constructor(client: RedisClient, options: RedisOptions = {}) {
    const { calls, keys, codec } = openRedis(client, options, 'RedisCredentialStore');
    this.#keys = keys;
    this.#calls = calls;
    this.#codec = codec;
  }

  async put(key: CredentialRecordKey, { content, expiresAt }: CredentialRecord, now: number): Promise<void> {
    const { records, expiries } = this.#keys.credentials(key);
    const text = JSON.stringify({ v: 1, content, ...(expiresAt !== undefined && { expiresAt }) });
    const value = this.#codec ? await encodeText(this.#codec, text) : text;
    const args = [fieldOf(key), value, String(expiresAt ?? ''), String(now)];
    await this.#calls.write({ script: putCredential, keys: [records, expiries], args });
  }

  async get(key: CredentialRecordKey): Promise<CredentialRecord | undefined> {
    const { records } = this.#keys.credentials(key);
    const [value] = (await this.#calls.read({
      script: getCredential,
      keys: [records],
      args: [fieldOf(key)],
    })) as string[];
    if (value === undefined) return undefined;
    const record = JSON.parse(await decodeText(this.#codec, value)) as CredentialRecord & { v: unknown };
    assertVersion(record.v, 'A credential');
    const { content, expiresAt } = record;
    return { content, ...(expiresAt !== undefined && { expiresAt }) };
  }

  async names({ kind, ...user }: UserRef & Pick<CredentialRecordKey, 'kind'>): Promise<string[]> {
    const { records } = this.#keys.credentials(user);
    const fields = (await this.#calls.read({ script: listCredentials, keys: [records] })) as string[];
    const prefix = fieldOf({ kind, name: '' });
    return fields.filter((field) => field.startsWith(prefix)).map((field) => field.slice(prefix.length));
  }

  async remove(key: CredentialRecordKey): Promise<void> {
    const { records, expiries } = this.#keys.credentials(key);
    await this.#calls.write({ script: removeCredential, keys: [records, expiries], args: [fieldOf(key)] });
  }

  async removeAll(user: UserRef): Promise<void> {
    const { records, expiries } = this.#keys.credentials(user);
    await this.#calls.write({ script: removeCredentials, keys: [records, expiries] });
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#calls.ping();
  }
}

/** Returns the field of a record in the user's hash. A kind contains no blank. */
function fieldOf({ kind, name }: Pick<CredentialRecordKey, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}
