import type { DatabaseSync } from 'node:sqlite';
import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { driverMissing } from '../client/driver-missing.ts';
import { SqliteDatabase } from '../client/sqlite-database.ts';
import { sqlite } from '../dialects/sqlite.ts';
import { TIMEOUT_MS } from '../client/sql-options.ts';
import { parseDatabaseUrl } from '../client/parse-database-url.ts';
import { SqlVectorStore } from './sql-vector-store.ts';
import type { VectorDialect } from './vector-table.ts';

/** Options of `SqliteVecStore`. */
export interface SqliteVecStoreOptions {
  /**
   * URL of the file: `sqlite:///./file.db`, `sqlite:////absolute/file.db` or `sqlite://:memory:`. Sessions and memory may be in
   * the same file.
   */
  dbUrl: string;
  /** Start of the table's name. Default: `thole_`. */
  tablePrefix?: string | undefined;
  /** True if the first call creates the table. If false, call `migrate()`. Default: true. */
  autoMigrate?: boolean | undefined;
  /** Time limit of one call in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Clock, ids, timers and logger. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

const names = optionNames<SqliteVecStoreOptions>({
  dbUrl: true,
  tablePrefix: true,
  autoMigrate: true,
  timeoutMs: true,
  runtime: true,
});

/**
 * Vectors in a SQLite file, compared by the package `sqlite-vec`. The first call throws `DRIVER_MISSING` if the package is not
 * installed or does not support this platform. Deleted data is overwritten in the file.
 */
export class SqliteVecStore extends SqlVectorStore {
  constructor(options: SqliteVecStoreOptions) {
    rejectUnknownOptions(options, names, 'SqliteVecStore');
    const { dbUrl, tablePrefix, autoMigrate, timeoutMs = TIMEOUT_MS, runtime = systemRuntime() } = options;
    assertCount('timeoutMs', timeoutMs, 1);
    const address = parseDatabaseUrl(dbUrl);
    if (address.kind !== 'sqlite')
      throw new TholeError('INVALID_INPUT', 'dbUrl must be a URL of SQLite (sqlite:///…).');
    const { path } = address;
    const settings = { readOnly: false, synchronous: 'NORMAL', dialect: sqlite } as const;
    const database = new SqliteDatabase({ path, ...settings, runtime, timeoutMs, extend: loadSqliteVec });
    super({ database, dialect: sqliteVec, runtime, tablePrefix, autoMigrate });
  }
}

const sqliteVec: VectorDialect = {
  types: { name: 'text', text: 'text', integer: 'integer', vector: 'blob' },
  placeholder: '?',
  bind: (unit) => new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength),
  distance: 'vec_distance_cosine(vector, ?)',
  // A transaction that writes locks the file.
  lockUser: undefined,
  *prepare() {},
  keyColumnsSql: (table) => `SELECT count(*) AS count FROM pragma_table_info('${table}') WHERE pk > 0`,
};

async function loadSqliteVec(database: DatabaseSync): Promise<void> {
  try {
    const { getLoadablePath } = await import('sqlite-vec');
    database.loadExtension(getLoadablePath());
    database.enableLoadExtension(false);
  } catch (cause) {
    throw driverMissing('sqlite-vec', cause);
  }
}
