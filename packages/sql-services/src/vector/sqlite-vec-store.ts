import type { DatabaseSync } from 'node:sqlite';
import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { loadDriver } from '../client/load-driver.ts';
import { SqliteDatabase } from '../client/sqlite-database.ts';
import { sqlite } from '../dialects/sqlite.ts';
import { TIMEOUT_MS } from '../client/sql-options.ts';
import { parseDatabaseUrl } from '../client/parse-database-url.ts';
import { SqlVectorStore } from './sql-vector-store.ts';
import type { VectorDialect } from './vector-table.ts';

/** Where the file is. */
export interface SqliteVecStoreOptions {
  /** `sqlite:///./file.db`, `sqlite:////absolute/file.db` or `sqlite://:memory:`; sessions and memory may be in the same file. */
  dbUrl: string;
  /** What the table's name begins with (`thole_`). */
  tablePrefix?: string | undefined;
  /** Whether the table is made at the first call (true). */
  autoMigrate?: boolean | undefined;
  /** How long one call may take (30,000). */
  timeoutMs?: number | undefined;
  runtime?: Runtime | undefined;
}

const names: readonly (keyof SqliteVecStoreOptions)[] = ['dbUrl', 'tablePrefix', 'autoMigrate', 'timeoutMs', 'runtime'];

/**
 * Vectors in a SQLite file, compared by the package `sqlite-vec`. `DRIVER_MISSING` at the first call where that is not installed,
 * or has nothing for this platform. What is deleted is overwritten in the file.
 */
export class SqliteVecStore extends SqlVectorStore {
  constructor(options: SqliteVecStoreOptions) {
    rejectUnknownOptions(options, names, 'SqliteVecStore');
    const { dbUrl, tablePrefix, autoMigrate, timeoutMs = TIMEOUT_MS, runtime = systemRuntime() } = options;
    assertCount('timeoutMs', timeoutMs, 1);
    const address = parseDatabaseUrl(dbUrl);
    if (address.kind !== 'sqlite')
      throw new TholeError('INVALID_INPUT', 'dbUrl must be sqlite:///…; SqliteVecStore speaks to no other database.');
    const { path } = address;
    const more = { readOnly: false, synchronous: 'NORMAL', dialect: sqlite } as const;
    const database = new SqliteDatabase({ path, ...more, runtime, timeoutMs, extend: loadSqliteVec });
    super({ database, dialect: sqliteVec, tablePrefix, autoMigrate });
  }
}

const sqliteVec: VectorDialect = {
  types: { name: 'text', text: 'text', integer: 'integer', vector: 'blob' },
  placeholder: '?',
  bind: (unit) => new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength),
  distance: 'vec_distance_cosine(vector, ?)',
  // A transaction that writes has the file to itself.
  lockUser: undefined,
  *prepare() {},
};

async function loadSqliteVec(database: DatabaseSync): Promise<void> {
  await loadDriver('sqlite-vec', async () => {
    const { getLoadablePath } = await import('sqlite-vec');
    database.loadExtension(getLoadablePath());
    database.enableLoadExtension(false);
  });
}
