import { StoredSessionService, systemRuntime } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { StoredSessionServiceOptions } from '@thole/core';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import type { PruneRequest } from './event-pruner.ts';
import { RedisSessionStore } from './redis-session-store.ts';
import { sessionStoreOptionNames } from './session-store-options.ts';
import type { RedisSessionStoreOptions } from './session-store-options.ts';

/** Options of `RedisSessionService`. */
export interface RedisSessionServiceOptions extends RedisSessionStoreOptions {
  /** Maximum sizes of events and state values, see `StoredSessionServiceOptions`. */
  limits?: StoredSessionServiceOptions['limits'] | undefined;
}

const extraOptionNames = optionNames<Omit<RedisSessionServiceOptions, keyof RedisSessionStoreOptions>>({
  limits: true,
});

/**
 * Sessions in Redis, for any number of processes. The client is connected to a single server, Sentinel or a Cluster. The caller opens
 * and closes it. Every call ends within `timeoutMs`.
 */
export class RedisSessionService extends StoredSessionService {
  readonly #store: RedisSessionStore;

  constructor(client: RedisClient, options: RedisSessionServiceOptions = {}) {
    const names = [...redisOptionNames, ...sessionStoreOptionNames, ...extraOptionNames];
    rejectUnknownOptions(options, names, 'RedisSessionService');
    const { limits, ...storeOptions } = options;
    const runtime = options.runtime ?? systemRuntime();
    const store = new RedisSessionStore(client, { ...storeOptions, runtime });
    super(store, { runtime, limits });
    this.#store = store;
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#store.ping();
  }

  /** Deletes old events and returns their number, see `PruneRequest`. Throws `INVALID_INPUT` without `olderThan` and `keepLast`. */
  pruneEvents(request: PruneRequest): Promise<number> {
    return this.#store.pruneEvents(request);
  }
}
