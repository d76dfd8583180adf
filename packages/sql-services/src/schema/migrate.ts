import { TholeError } from '@thole/core';
import { isSqlFailure } from '../client/sql-failure.ts';
import type { SqlDatabase, Statement, Steps } from '../client/sql-database.ts';
import { columnText } from '../session/row-values.ts';
import { createTable } from './create-table.ts';
import type { TableLocation } from './create-table.ts';
import type { TableNames } from './table-names.ts';
import { metaTable, tablesOfVersion1, tablesOfVersion2 } from './tables.ts';

/** The version of the tables that this package reads and writes. */
export const SCHEMA_VERSION = 2;

/** What leads to each version from the one before; a migration that broke off is begun again. */
const migrations: { readonly [version: number]: (place: TableLocation) => Statement[] } = {
  1: (place) => tablesOfVersion1.flatMap((table) => createTable(table, place)),
  2: (place) => tablesOfVersion2.flatMap((table) => createTable(table, place)),
};

/** The version of the tables that are there; 0 without any. */
export async function readSchemaVersion(database: SqlDatabase, tables: TableNames, deadline?: number): Promise<number> {
  try {
    return await database.run(() => readVersion(database, tables), { writes: false, deadline });
  } catch (error) {
    if (isSqlFailure(error, 'no-table')) return 0;
    throw error;
  }
}

/** `STORE_VERSION` unless the tables are of this package's version. */
export function assertSchemaVersion(version: number): void {
  if (version === SCHEMA_VERSION) return;
  const what =
    version === 0
      ? 'The tables are not in the database: call migrate().'
      : version < SCHEMA_VERSION
        ? `The tables are of version ${version}; this package needs ${SCHEMA_VERSION}: call migrate().`
        : `The tables are of version ${version}; this package knows ${SCHEMA_VERSION}.`;
  throw new TholeError('STORE_VERSION', what);
}

/** Brings the tables to this package's version. Several processes may do so at once: one does the work, the others find it done. */
export async function migrate(database: SqlDatabase, tables: TableNames, place: TableLocation): Promise<void> {
  const deadline = database.deadline();
  if ((await readSchemaVersion(database, tables, deadline)) < SCHEMA_VERSION) {
    try {
      await database.transact(() => migrationSteps(database, tables, place), deadline);
    } catch (error) {
      // Another process was faster; what it has made is looked at below.
      if (!isSqlFailure(error, 'duplicate')) throw error;
    }
  }
  assertSchemaVersion(await readSchemaVersion(database, tables, deadline));
}

function* migrationSteps(database: SqlDatabase, tables: TableNames, place: TableLocation): Steps<void> {
  const lock = database.dialect.migrationLock(tables.meta);
  if (lock.take) yield lock.take;
  try {
    for (const statement of createTable(metaTable, place)) yield statement;
    for (let next = (yield* readVersion(database, tables)) + 1; next <= SCHEMA_VERSION; next++) {
      for (const statement of migrations[next]!(place)) yield statement;
      const remove = database.dialect.statement(`DELETE FROM ${tables.meta} WHERE item = ?`);
      const write = database.dialect.statement(`INSERT INTO ${tables.meta} (item, content) VALUES (?, ?)`);
      yield { sql: remove, parameters: ['schema version'] };
      yield { sql: write, parameters: ['schema version', String(next)] };
    }
  } finally {
    if (lock.free) yield lock.free;
  }
}

function* readVersion(database: SqlDatabase, tables: TableNames): Steps<number> {
  const sql = database.dialect.statement(`SELECT content FROM ${tables.meta} WHERE item = ?`);
  const { rows } = yield { sql, parameters: ['schema version'] };
  return rows[0] ? Number(columnText(rows[0]['content'])) : 0;
}
