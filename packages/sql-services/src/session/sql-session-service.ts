import { StoredSessionService, systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { StoredSessionServiceOptions } from '@thole/core';
import type { PruneRequest } from './prune-events.ts';
import type { SqlSessionStoreOptions } from './session-store-options.ts';
import { SqlSessionStore } from './sql-session-store.ts';

/** Where the database is, and what a session service may be told. */
export interface DatabaseSessionServiceOptions extends SqlSessionStoreOptions, StoredSessionServiceOptions {}

/**
 * Sessions in SQLite, PostgreSQL or MariaDB: they outlive the process, and any number of processes may share them. Takes the
 * database's URL, or options. Nothing is connected to before the first call.
 */
export class DatabaseSessionService extends StoredSessionService {
  readonly #store: SqlSessionStore;

  constructor(urlOrOptions: string | DatabaseSessionServiceOptions) {
    const { limits, ...options } = toOptions(urlOrOptions);
    const runtime = options.runtime ?? systemRuntime();
    const store = new SqlSessionStore({ ...options, runtime });
    super(store, { runtime, ...(limits && { limits }) });
    this.#store = store;
  }

  /** Makes the tables, or brings them to this package's version: for those who set `autoMigrate: false`. */
  migrate(): Promise<void> {
    return this.#store.migrate();
  }

  /** `STORE_UNAVAILABLE` unless the database answers. */
  ping(): Promise<void> {
    return this.#store.ping();
  }

  /**
   * Retention: takes each session's oldest events, those that are older than `olderThan` (seconds) and not among the
   * `keepLast` newest; how many. What is left has no hole, `seq` counts on, state stays. The id of an event that was taken is
   * free again. A runner that keeps a session between turns goes on with what it read.
   */
  pruneEvents(p: PruneRequest): Promise<number> {
    return this.#store.pruneEvents(p);
  }

  /** Takes the sessions that have run out (`sessionTtlMs`), which nobody sees any more; how many. */
  deleteExpiredSessions(): Promise<number> {
    return this.#store.deleteExpiredSessions();
  }

  /** Closes what was opened from a URL; what was passed in stays open. */
  close(): Promise<void> {
    return this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function toOptions(given: string | DatabaseSessionServiceOptions): DatabaseSessionServiceOptions {
  if (typeof given === 'string') return { dbUrl: given };
  const options: unknown = given;
  if (!isPlainObject(options))
    throw invalidInput('What DatabaseSessionService is made with', 'a URL or options', options);
  return given;
}
