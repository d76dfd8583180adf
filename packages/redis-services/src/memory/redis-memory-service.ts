import { systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import { StoredMemoryService } from '@thole/recall';
import type { StoredMemoryServiceOptions } from '@thole/recall';
import { RedisMemoryStore } from './redis-memory-store.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';

/** What a `RedisMemoryService` may be told. */
export interface RedisMemoryServiceOptions extends RedisOptions, StoredMemoryServiceOptions {}

/**
 * Memory in Redis, for any number of processes: each finds what the others wrote by its next search. The client is the caller's,
 * who opens and closes it: a single server, Sentinel or Cluster.
 */
export class RedisMemoryService extends StoredMemoryService {
  readonly #store: RedisMemoryStore;

  constructor(client: RedisClient, options: RedisMemoryServiceOptions = {}) {
    const given: unknown = options;
    if (!isPlainObject(given)) throw invalidInput('The options of RedisMemoryService', 'an object', given);
    const { ofStore, ofService } = divided({ ...options, runtime: options.runtime ?? systemRuntime() });
    const store = new RedisMemoryStore(client, ofStore);
    super(store, ofService);
    this.#store = store;
  }

  /** Resolves if the server answers in time; otherwise `STORE_UNAVAILABLE`. */
  ping(): Promise<void> {
    return this.#store.ping();
  }
}

/** What the store knows is the store's; the service refuses what neither knows. */
function divided(options: RedisMemoryServiceOptions): {
  ofStore: RedisOptions;
  ofService: StoredMemoryServiceOptions;
} {
  const entries = Object.entries(options);
  const ofStore = Object.fromEntries(entries.filter(([name]) => redisOptionNames.includes(name)));
  const ofService = Object.fromEntries(
    entries.filter(([name]) => name === 'runtime' || !redisOptionNames.includes(name)),
  );
  return { ofStore, ofService };
}
