import { invalidInput, isPlainObject } from '@thole/core/kit';
import { StoredMemoryService } from '@thole/recall';
import { splitMemoryOptions } from '@thole/recall/kit';
import type { StoredMemoryServiceOptions } from '@thole/recall';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { RedisMemoryStore } from './redis-memory-store.ts';

/** Options of `RedisMemoryService`. */
export interface RedisMemoryServiceOptions extends RedisOptions, StoredMemoryServiceOptions {}

/**
 * Memory in Redis, for any number of processes. Each search includes earlier writes of other processes. The client is connected
 * to a single server, Sentinel or a Cluster. The caller opens and closes it.
 */
export class RedisMemoryService extends StoredMemoryService {
  readonly #store: RedisMemoryStore;

  constructor(client: RedisClient, options: RedisMemoryServiceOptions = {}) {
    const input: unknown = options;
    if (!isPlainObject(input)) throw invalidInput('The options of RedisMemoryService', 'an object', input);
    const { storeOptions, serviceOptions } = splitMemoryOptions(options, redisOptionNames);
    const store = new RedisMemoryStore(client, storeOptions);
    super(store, serviceOptions);
    this.#store = store;
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#store.ping();
  }
}
