import { StoredSessionService, systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject, rejectUnknownOptions } from '@thole/core/kit';
import type { StoredSessionServiceOptions } from '@thole/core';
import type { PruneRequest } from './event-pruner.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import { RedisSessionStore } from './redis-session-store.ts';
import { sessionStoreOptionNames } from './session-store-options.ts';
import type { RedisSessionStoreOptions } from './session-store-options.ts';

/** What a `RedisSessionService` may be told. */
export interface RedisSessionServiceOptions extends RedisSessionStoreOptions {
  /** Of events and state values: see `StoredSessionServiceOptions`. */
  limits?: StoredSessionServiceOptions['limits'] | undefined;
}

/**
 * Sessions in Redis, for any number of processes. The client is the caller's, who opens and closes it: a single server,
 * Sentinel or Cluster. Every call ends within `timeoutMs`.
 */
export class RedisSessionService extends StoredSessionService {
  readonly #store: RedisSessionStore;

  constructor(client: RedisClient, options: RedisSessionServiceOptions = {}) {
    const given: unknown = options;
    if (!isPlainObject(given)) throw invalidInput('The options of RedisSessionService', 'an object', given);
    rejectUnknownOptions(options, [...redisOptionNames, ...sessionStoreOptionNames, 'limits'], 'RedisSessionService');
    const { limits, ...others } = options;
    const runtime = options.runtime ?? systemRuntime();
    const store = new RedisSessionStore(client, { ...others, runtime });
    super(store, { runtime, limits });
    this.#store = store;
  }

  /** Resolves if the server answers in time; otherwise `STORE_UNAVAILABLE`. */
  ping(): Promise<void> {
    return this.#store.ping();
  }

  /** Takes old events for good, state and numbering stay, and answers how many. `INVALID_INPUT` without a limit. */
  pruneEvents(request: PruneRequest): Promise<number> {
    return this.#store.pruneEvents(request);
  }
}
