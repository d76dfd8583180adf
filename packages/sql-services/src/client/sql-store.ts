import type { SqlStorage } from './sql-storage.ts';

/** Base class of stores: creates their tables, checks the connection, and closes it. */
export abstract class SqlStore {
  readonly specVersion = 1;
  readonly #storage: SqlStorage;

  constructor(storage: SqlStorage) {
    this.#storage = storage;
  }

  /** Creates the tables or updates them to the version of this package. Several processes may call this at the same time. */
  migrate(): Promise<void> {
    return this.#storage.migrate();
  }

  /** Throws `STORE_UNAVAILABLE` unless the database answers. */
  ping(): Promise<void> {
    return this.#storage.ping();
  }

  /**
   * Rewrites a SQLite file so that its unused space contains no deleted text. Deletions do this too, in
   * large files later and table by table. Writes wait meanwhile. Has no effect on PostgreSQL and MariaDB.
   */
  compact(): Promise<void> {
    return this.#storage.compact();
  }

  /** Closes the connections that were opened from a URL. A pool or Kysely instance of the caller stays open. */
  close(): Promise<void> {
    return this.#storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
