import { StoredArtifactService, systemRuntime } from '@thole/core';
import type { StoredArtifactServiceOptions } from '@thole/core';
import { toServiceOptions } from '../client/sql-options.ts';
import { SqlArtifactStore } from './sql-artifact-store.ts';
import type { SqlArtifactStoreOptions } from './sql-artifact-store.ts';

/** Options of `DatabaseArtifactService`. */
export interface DatabaseArtifactServiceOptions extends SqlArtifactStoreOptions, StoredArtifactServiceOptions {}

/**
 * Artifacts in SQLite, PostgreSQL or MariaDB. The argument is the URL of the database, or options. The first call connects.
 */
export class DatabaseArtifactService extends StoredArtifactService {
  readonly #store: SqlArtifactStore;

  constructor(urlOrOptions: string | DatabaseArtifactServiceOptions) {
    const { maxBytes, ...options } = toServiceOptions(urlOrOptions, 'DatabaseArtifactService');
    const runtime = options.runtime ?? systemRuntime();
    const store = new SqlArtifactStore({ ...options, runtime });
    super(store, { runtime, ...(maxBytes !== undefined && { maxBytes }) });
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
