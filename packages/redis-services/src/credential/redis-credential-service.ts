import { env } from 'node:process';
import { StoredCredentialService, systemRuntime } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { RedisCredentialStore } from './redis-credential-store.ts';

/** Options of `RedisCredentialService`. */
export interface RedisCredentialServiceOptions extends RedisOptions {
  /**
   * Keys that encrypt the credentials: a list of `<id>:<32 bytes as base64>`, separated by commas. The first key encrypts, all keys
   * decrypt. Default: the environment variable `THOLE_CREDENTIAL_KEYS`.
   */
  encryptionKeys?: string | undefined;
}

const extraOptionNames = optionNames<Omit<RedisCredentialServiceOptions, keyof RedisOptions>>({ encryptionKeys: true });

/**
 * Credentials in Redis, encrypted, for any number of processes. The caller opens and closes the client. Throws
 * `CREDENTIAL_KEYS_INVALID` without keys.
 */
export class RedisCredentialService extends StoredCredentialService {
  readonly #store: RedisCredentialStore;

  constructor(client: RedisClient, options: RedisCredentialServiceOptions = {}) {
    rejectUnknownOptions(options, [...redisOptionNames, ...extraOptionNames], 'RedisCredentialService');
    const { encryptionKeys = env['THOLE_CREDENTIAL_KEYS'] ?? '', ...storeOptions } = options;
    const runtime = options.runtime ?? systemRuntime();
    const store = new RedisCredentialStore(client, { ...storeOptions, runtime });
    super(store, { runtime, encryptionKeys });
    this.#store = store;
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#store.ping();
  }
}
