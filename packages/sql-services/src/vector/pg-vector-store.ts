import { TholeError } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Kysely } from 'kysely';
import type { PostgresPool } from '../client/postgres-pool.ts';
import { openDatabase } from '../client/open-database.ts';
import { query } from '../client/sql-database.ts';
import type { Steps } from '../client/sql-database.ts';
import { isSqlFailure } from '../client/sql-failure.ts';
import { SqlVectorStore } from './sql-vector-store.ts';
import type { VectorDialect } from './vector-table.ts';

/** Where the database is. */
export interface PgVectorStoreOptions {
  /** `postgresql://…` */
  dbUrl?: string | undefined;
  /** Instead of a URL: a pool of `pg`, or a Kysely instance. It is neither opened nor closed. */
  db?: PostgresPool | Kysely<never> | undefined;
  /** What the table's name begins with (`thole_`). */
  tablePrefix?: string | undefined;
  schema?: string | undefined;
  /** Whether the table, and the extension where it is not there, are made at the first call (true). */
  autoMigrate?: boolean | undefined;
  /** How long one call may take (30,000). */
  timeoutMs?: number | undefined;
  /** Most connections of a pool that is opened from a URL (10). */
  maxConnections?: number | undefined;
  runtime?: Runtime | undefined;
}

const names: readonly (keyof PgVectorStoreOptions)[] = [
  'dbUrl',
  'db',
  'tablePrefix',
  'schema',
  'autoMigrate',
  'timeoutMs',
  'maxConnections',
  'runtime',
];

/**
 * Vectors in PostgreSQL with the extension pgvector. `DRIVER_MISSING` at the first call where the server does not have it, or
 * where this user may not create it in the database.
 */
export class PgVectorStore extends SqlVectorStore {
  constructor(options: PgVectorStoreOptions) {
    rejectUnknownOptions(options, names, 'PgVectorStore');
    const { dbUrl, db, tablePrefix, schema, autoMigrate, timeoutMs, maxConnections, runtime } = options;
    const more = { timeoutMs, maxConnections, runtime };
    const database = openDatabase(
      db === undefined ? { dbUrl, ...more } : { dbUrl, db, dialect: 'postgres' as const, ...more },
    );
    if (database.dialect.name !== 'postgres')
      throw new TholeError('INVALID_INPUT', 'dbUrl must be postgresql://…; PgVectorStore speaks to no other database.');
    super({ database, dialect: pgvector, tablePrefix, schema, autoMigrate });
  }
}

const pgvector: VectorDialect = {
  types: { name: 'text collate "C"', text: 'text collate "C"', integer: 'integer', vector: 'vector' },
  placeholder: '?::vector',
  bind: (unit) => `[${unit.join(',')}]`,
  distance: 'vector <=> ?::vector',
  lockUser: 'SELECT pg_advisory_xact_lock(hashtext(?), hashtext(?))',
  prepare,
};

function* prepare(): Steps<void> {
  const { rows } = yield* query(`SELECT name, installed_version FROM pg_available_extensions WHERE name = 'vector'`);
  if (!rows[0]) {
    const how = 'install pgvector there (https://github.com/pgvector/pgvector)';
    throw new TholeError('DRIVER_MISSING', `This PostgreSQL server does not have the extension "vector": ${how}.`);
  }
  if (rows[0]['installed_version'] !== null) return;
  try {
    yield* query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (cause) {
    if (!isSqlFailure(cause, 'refused')) throw cause;
    const how = 'let a user who may run CREATE EXTENSION vector';
    throw new TholeError('DRIVER_MISSING', `The extension "vector" is not in this database: ${how}.`, { cause });
  }
}
