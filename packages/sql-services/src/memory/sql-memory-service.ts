import { systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import { StoredMemoryService } from '@thole/recall';
import type { StoredMemoryServiceOptions } from '@thole/recall';
import { SqlMemoryStore } from './sql-memory-store.ts';
import type { SqlMemoryStoreOptions } from './sql-memory-store.ts';
import { databaseOptionNames } from '../client/sql-options.ts';

/** Where the database is, and what a memory service may be told. */
export interface DatabaseMemoryServiceOptions extends SqlMemoryStoreOptions, StoredMemoryServiceOptions {}

/**
 * Memory in SQLite, PostgreSQL or MariaDB: it outlives the process, and any number of processes may share it; each finds what
 * the others wrote by its next search. Takes the database's URL, or options. Nothing is connected to before the first call.
 */
export class DatabaseMemoryService extends StoredMemoryService {
  readonly #store: SqlMemoryStore;

  constructor(urlOrOptions: string | DatabaseMemoryServiceOptions) {
    const options = toOptions(urlOrOptions);
    const runtime = options.runtime ?? systemRuntime();
    const { ofStore, ofService } = divided({ ...options, runtime });
    const store = new SqlMemoryStore(ofStore);
    super(store, ofService);
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

function toOptions(given: string | DatabaseMemoryServiceOptions): DatabaseMemoryServiceOptions {
  if (typeof given === 'string') return { dbUrl: given };
  const options: unknown = given;
  if (!isPlainObject(options))
    throw invalidInput('What DatabaseMemoryService is made with', 'a URL or options', options);
  return given;
}

/** What the store knows is the store's; the service refuses what neither knows. */
function divided(options: DatabaseMemoryServiceOptions): {
  ofStore: SqlMemoryStoreOptions;
  ofService: StoredMemoryServiceOptions;
} {
  const known: readonly string[] = [...databaseOptionNames, 'codec'];
  const entries = Object.entries(options);
  const ofStore = Object.fromEntries(entries.filter(([name]) => known.includes(name)));
  const ofService = Object.fromEntries(entries.filter(([name]) => name === 'runtime' || !known.includes(name)));
  return { ofStore, ofService };
}
