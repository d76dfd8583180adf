import { TholeError } from '@thole/core';
import { isSqlFailure } from '../client/sql-failure.ts';
import { query } from '../client/sql-database.ts';
import type { SqlDatabase, Statement, Steps } from '../client/sql-database.ts';
import { columnText } from '../session/row-values.ts';
import { columnType, createPartialIndex, createTable } from './create-table.ts';
import type { TableLocation } from './create-table.ts';
import type { TableNames } from './table-names.ts';
import {
  credentialsTable,
  forkColumn,
  leaseWaitersTable,
  markColumns,
  metaTable,
  tablesOfVersion1,
  tablesOfVersion2,
  waitingIndexes,
  writeIdColumn,
} from './tables.ts';
import type { Table } from './tables.ts';

/** Version of the tables that this package reads and writes. */
export const SCHEMA_VERSION = 5;

/** The steps to each version from the previous version. They can be repeated after an incomplete migration. */
const migrations: { readonly [version: number]: (location: TableLocation, tables: TableNames) => Steps<void> } = {
  1: (location) => createTables(location, tablesOfVersion1),
  2: (location) => createTables(location, tablesOfVersion2),
  *3(location, tables) {
    yield* addColumns(location, tables.sessions, markColumns);
    yield* query(`DROP TABLE IF EXISTS ${tables.leaseWaiters}`);
    yield* createTables(location, [leaseWaitersTable]);
  },
  *4(location, tables) {
    yield* createTables(location, [credentialsTable]);
    yield* addColumns(location, tables.sessions, forkColumn);
    for (const index of Object.values(waitingIndexes)) {
      yield* ignoreDuplicate(location, createPartialIndex('sessions', index, location));
    }
  },
  *5(location, tables) {
    yield* addColumns(location, tables.memoryEntries, writeIdColumn);
  },
};

/** Returns the version of the existing tables, 0 if there are none. */
export async function readSchemaVersion(database: SqlDatabase, tables: TableNames): Promise<number> {
  try {
    return await database.run(() => readVersion(database, tables), { writes: false });
  } catch (error) {
    if (isSqlFailure(error, 'no-table')) return 0;
    throw error;
  }
}

/** Throws `STORE_VERSION` unless the tables have the version of this package. */
export function assertSchemaVersion(version: number): void {
  if (version === SCHEMA_VERSION) return;
  const message =
    version === 0
      ? 'The database does not have the tables. Call migrate().'
      : version < SCHEMA_VERSION
        ? `The tables have version ${version}, this package needs version ${SCHEMA_VERSION}. Call migrate().`
        : `The tables have version ${version}, this package knows version ${SCHEMA_VERSION}. Update @thole/sql-services.`;
  throw new TholeError('STORE_VERSION', message);
}

/**
 * Returns the time at which a change of tables must end. On a server it is `Infinity`, because the duration depends on the number of
 * rows. A SQLite file may be locked until the time limit of a call.
 */
export function migrationDeadline(database: SqlDatabase): number {
  return database.dialect.name === 'sqlite' ? database.deadline() : Infinity;
}

/**
 * Creates the tables or updates them to the version of this package. Several processes may call this at the same time. The time limit of
 * a call applies to reading the version.
 */
export async function migrate(database: SqlDatabase, tables: TableNames, location: TableLocation): Promise<void> {
  let version = await readSchemaVersion(database, tables);
  if (version < SCHEMA_VERSION) {
    try {
      await database.transact(() => migrationSteps(database, tables, location), migrationDeadline(database));
    } catch (error) {
      // Another process migrated at the same time. The version is checked below.
      if (!isSqlFailure(error, 'duplicate')) throw error;
    }
    version = await readSchemaVersion(database, tables);
  }
  assertSchemaVersion(version);
}

function* migrationSteps(database: SqlDatabase, tables: TableNames, location: TableLocation): Steps<void> {
  const lock = database.dialect.migrationLock(tables.meta);
  if (lock.acquire) yield lock.acquire;
  try {
    yield* createTables(location, [metaTable]);
    for (let next = (yield* readVersion(database, tables)) + 1; next <= SCHEMA_VERSION; next++) {
      yield* migrations[next]!(location, tables);
      yield* writeVersion(database, tables, next);
    }
  } finally {
    if (lock.release) yield lock.release;
  }
}

function* createTables(location: TableLocation, tables: readonly Table[]): Steps<void> {
  for (const statement of tables.flatMap((table) => createTable(table, location))) yield statement;
}

function* addColumns(location: TableLocation, table: string, columns: Table['columns']): Steps<void> {
  for (const [name, kind] of Object.entries(columns)) {
    const sql = `ALTER TABLE ${table} ADD COLUMN ${name} ${columnType(location.dialect, kind)}`;
    yield* ignoreDuplicate(location, { sql, parameters: [] });
  }
}

// SQLite and PostgreSQL roll back an incomplete migration. MariaDB keeps the columns and indexes that it has added.
function* ignoreDuplicate({ dialect }: TableLocation, statement: Statement): Steps<void> {
  try {
    yield statement;
  } catch (error) {
    if (dialect.classifyError(error) !== 'duplicate') throw error;
  }
}

function* readVersion(database: SqlDatabase, tables: TableNames): Steps<number> {
  const sql = database.dialect.statement(`SELECT content FROM ${tables.meta} WHERE item = ?`);
  const { rows } = yield { sql, parameters: ['schema version'] };
  return rows[0] ? Number(columnText(rows[0]['content'])) : 0;
}

// One statement, because MariaDB commits each statement after a change of tables: a process that ends here must leave a version.
function* writeVersion({ dialect }: SqlDatabase, { meta }: TableNames, version: number): Steps<void> {
  const update = dialect.statement(`UPDATE ${meta} SET content = ? WHERE item = ?`);
  const { changes } = yield { sql: update, parameters: [String(version), 'schema version'] };
  if (changes > 0) return;
  const insert = dialect.statement(`INSERT INTO ${meta} (content, item) VALUES (?, ?)`);
  yield { sql: insert, parameters: [String(version), 'schema version'] };
}
