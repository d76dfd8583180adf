import { StoredArtifactService, systemRuntime } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { RedisArtifactStore } from './redis-artifact-store.ts';

/** Options of `RedisArtifactService`. */
export interface RedisArtifactServiceOptions extends RedisOptions {
  /** Maximum size of one version in bytes. A larger version throws `ARTIFACT_TOO_LARGE`. Default: 32 MiB. */
  maxBytes?: number | undefined;
}

const extraOptionNames = optionNames<Omit<RedisArtifactServiceOptions, keyof RedisOptions>>({ maxBytes: true });

/** Artifacts in Redis, for any number of processes. Each version is one value; Redis limits a value to 512 MB. */
export class RedisArtifactService extends StoredArtifactService {
  readonly #store: RedisArtifactStore;

  constructor(client: RedisClient, options: RedisArtifactServiceOptions = {}) {
    rejectUnknownOptions(options, [...redisOptionNames, ...extraOptionNames], 'RedisArtifactService');
    const { maxBytes, ...storeOptions } = options;
    const runtime = options.runtime ?? systemRuntime();
    const store = new RedisArtifactStore(client, { ...storeOptions, runtime });
    super(store, { runtime, maxBytes });
    this.#store = store;
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#store.ping();
  }
}
