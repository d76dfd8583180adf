import { env } from 'node:process';
import { StoredCredentialService, systemRuntime } from '@thole/core';
import { toServiceOptions } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';
import { SqlCredentialStore } from './sql-credential-store.ts';

/** Options of `DatabaseCredentialService`. */
export interface DatabaseCredentialServiceOptions extends DatabaseOptions {
  /**
   * Keys that encrypt the credentials: a list of `<id>:<32 bytes as base64>`, separated by commas. The first key encrypts,
   * all keys decrypt. Default: the environment variable `THOLE_CREDENTIAL_KEYS`.
   */
  encryptionKeys?: string | undefined;
}

/**
 * Credentials in SQLite, PostgreSQL or MariaDB, encrypted. The argument is the URL of the database, or options. Throws
 * `CREDENTIAL_KEYS_INVALID` without keys. The first call connects.
 */
export class DatabaseCredentialService extends StoredCredentialService {
  readonly #store: SqlCredentialStore;

  constructor(urlOrOptions: string | DatabaseCredentialServiceOptions) {
    const { encryptionKeys = env['THOLE_CREDENTIAL_KEYS'] ?? '', ...options } = toServiceOptions(
      urlOrOptions,
      'DatabaseCredentialService',
    );
    const runtime = options.runtime ?? systemRuntime();
    const store = new SqlCredentialStore({ ...options, runtime });
    super(store, { runtime, encryptionKeys });
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
