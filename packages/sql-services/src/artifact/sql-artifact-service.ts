import { StoredArtifactService, systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { StoredArtifactServiceOptions } from '@thole/core';
import { SqlArtifactStore } from './sql-artifact-store.ts';
import type { SqlArtifactStoreOptions } from './sql-artifact-store.ts';

/** Where the database is, and what an artifact service may be told. */
export interface DatabaseArtifactServiceOptions extends SqlArtifactStoreOptions, StoredArtifactServiceOptions {}

/** Files in SQLite, PostgreSQL or MariaDB. Takes the database's URL, or options. Nothing is connected to before the first call. */
export class DatabaseArtifactService extends StoredArtifactService {
  readonly #store: SqlArtifactStore;

  constructor(urlOrOptions: string | DatabaseArtifactServiceOptions) {
    const { maxBytes, ...options } = toOptions(urlOrOptions);
    const runtime = options.runtime ?? systemRuntime();
    const store = new SqlArtifactStore({ ...options, runtime });
    super(store, { runtime, ...(maxBytes !== undefined && { maxBytes }) });
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

  /** Closes what was opened from a URL; what was passed in stays open. */
  close(): Promise<void> {
    return this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function toOptions(given: string | DatabaseArtifactServiceOptions): DatabaseArtifactServiceOptions {
  if (typeof given === 'string') return { dbUrl: given };
  const options: unknown = given;
  if (!isPlainObject(options))
    throw invalidInput('What DatabaseArtifactService is made with', 'a URL or options', options);
  return given;
}
