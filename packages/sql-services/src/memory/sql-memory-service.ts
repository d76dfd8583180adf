import type { Runtime } from '@thole/core';
import { StoredMemoryService } from '@thole/recall';
import { splitMemoryOptions } from '@thole/recall/kit';
import type { StoredMemoryServiceOptions } from '@thole/recall';
import { toServiceOptions } from '../client/sql-options.ts';
import { withDeadline } from '../client/with-deadline.ts';
import { memoryStoreOptionNames, SqlMemoryStore } from './sql-memory-store.ts';
import type { SqlMemoryStoreOptions } from './sql-memory-store.ts';

/** Maximum time in milliseconds that `close` waits for the indexes to be saved. */
const SAVE_LIMIT_MS = 10_000;

/** Options of `DatabaseMemoryService`. */
export interface DatabaseMemoryServiceOptions extends SqlMemoryStoreOptions, StoredMemoryServiceOptions {}

/**
 * Memory in SQLite, PostgreSQL or MariaDB, for any number of processes. Each search includes earlier writes of other
 * processes. The argument is the URL of the database, or options. The first call connects.
 */
export class DatabaseMemoryService extends StoredMemoryService {
  readonly #store: SqlMemoryStore;
  readonly #runtime: Runtime;

  constructor(urlOrOptions: string | DatabaseMemoryServiceOptions) {
    const options = toServiceOptions(urlOrOptions, 'DatabaseMemoryService');
    const { runtime, storeOptions, serviceOptions } = splitMemoryOptions(options, memoryStoreOptionNames);
    const store = new SqlMemoryStore(storeOptions);
    super(store, serviceOptions);
    this.#store = store;
    this.#runtime = runtime;
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
   * Rewrites a SQLite file so that its unused space contains no deleted text. Deletions do this too, in
   * large files later and table by table. Writes wait meanwhile. Has no effect on PostgreSQL and MariaDB.
   */
  compact(): Promise<void> {
    return this.#store.compact();
  }

  /**
   * Closes the connections that were opened from a URL. A pool or Kysely instance of the caller stays open. Waits at
   * most 10 seconds for an index that is being saved. If it is not saved in time, the next process derives it again.
   */
  async close(): Promise<void> {
    const deadline = this.#runtime.monotonic() + SAVE_LIMIT_MS;
    try {
      await withDeadline(this.#runtime, deadline, this.saved(), () => new Error());
    } catch {
      const fields = { limitMs: SAVE_LIMIT_MS };
      this.#runtime.logger.warn('A memory index was not saved before its database was closed.', fields);
    }
    await this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
