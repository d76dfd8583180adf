import { StoredSessionService, systemRuntime } from '@thole/core';
import type { StoredSessionServiceOptions } from '@thole/core';
import { toServiceOptions } from '../client/sql-options.ts';
import type { PruneRequest } from './prune-events.ts';
import type { SqlSessionStoreOptions } from './session-store-options.ts';
import { SqlSessionStore } from './sql-session-store.ts';

/** Options of `DatabaseSessionService`. */
export interface DatabaseSessionServiceOptions extends SqlSessionStoreOptions, StoredSessionServiceOptions {}

/**
 * Sessions in SQLite, PostgreSQL or MariaDB, for any number of processes. The argument is the URL of the database, or
 * options. The first call connects.
 */
export class DatabaseSessionService extends StoredSessionService {
  readonly #store: SqlSessionStore;

  constructor(urlOrOptions: string | DatabaseSessionServiceOptions) {
    const { limits, ...options } = toServiceOptions(urlOrOptions, 'DatabaseSessionService');
    const runtime = options.runtime ?? systemRuntime();
    const store = new SqlSessionStore({ ...options, runtime });
    super(store, { runtime, ...(limits && { limits }) });
    this.#store = store;
  }

  /** Creates the tables or updates them to the version of this package. Needed only with `autoMigrate: false`. */
  migrate(): Promise<void> {
    return this.#store.migrate();
  }

  /** Throws `STORE_UNAVAILABLE` unless the database answers. */
  ping(): Promise<void> {
    return this.#store.ping();
  }

  /**
   * Deletes the oldest events of each session: events older than `olderThan` (in seconds) and not among the last `keepLast`.
   * Returns their count. The remaining events have no gap. `seq` and state do not change; `initialState` becomes the state
   * before the first remaining event. A session that waits keeps the events of invocations that can continue. The id of a
   * deleted event can be used again. A runner continues with the events that it has cached.
   */
  pruneEvents(p: PruneRequest): Promise<number> {
    return this.#store.pruneEvents(p);
  }

  /** Deletes the expired sessions (`sessionTtlMs`), which are invisible already. Returns their count. */
  deleteExpiredSessions(): Promise<number> {
    return this.#store.deleteExpiredSessions();
  }

  /**
   * Rewrites a SQLite file so that its unused space contains no deleted text. Deletions do this too, in
   * large files later and table by table. Writes wait meanwhile. Has no effect on PostgreSQL and MariaDB.
   */
  compact(): Promise<void> {
    return this.#store.compact();
  }

  /** Closes the connections that were opened from a URL. A pool or Kysely instance of the caller stays open. */
  close(): Promise<void> {
    return this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
