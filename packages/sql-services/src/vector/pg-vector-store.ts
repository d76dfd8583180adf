import { systemRuntime, TholeError } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { KyselyDatabase } from '../client/kysely-connections.ts';
import type { PostgresPool } from '../client/postgres-pool.ts';
import { openDatabase } from '../client/open-database.ts';
import { query } from '../client/sql-database.ts';
import type { Steps } from '../client/sql-database.ts';
import { isSqlFailure } from '../client/sql-failure.ts';
import { SqlVectorStore } from './sql-vector-store.ts';
import type { VectorDialect } from './vector-table.ts';

/** Options of `PgVectorStore`. */
export interface PgVectorStoreOptions {
  /** URL of the database: `postgresql://…`. Required without `db`. */
  dbUrl?: string | undefined;
  /** Instead of `dbUrl`: a pool of `pg`, or a Kysely instance. The caller opens and closes it. */
  db?: PostgresPool | KyselyDatabase | undefined;
  /** Start of the table's name. Default: `thole_`. */
  tablePrefix?: string | undefined;
  /** Schema of the table. Default: none. */
  schema?: string | undefined;
  /** True if the first call creates the table and the extension. If false, call `migrate()`. Default: true. */
  autoMigrate?: boolean | undefined;
  /** Time limit of one call in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of connections of a pool that is opened from a URL. Default: 10. */
  maxConnections?: number | undefined;
  /** Clock, ids, timers and logger. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

const names = optionNames<PgVectorStoreOptions>({
  dbUrl: true,
  db: true,
  tablePrefix: true,
  schema: true,
  autoMigrate: true,
  timeoutMs: true,
  maxConnections: true,
  runtime: true,
});

/**
 * Vectors in PostgreSQL with the extension pgvector. The first call throws `DRIVER_MISSING` if the server does not have the
 * extension, or if the user may not create it in the database.
 */
export class PgVectorStore extends SqlVectorStore {
  constructor(options: PgVectorStoreOptions) {
    rejectUnknownOptions(options, names, 'PgVectorStore');
    const {
      dbUrl,
      db,
      tablePrefix,
      schema,
      autoMigrate,
      timeoutMs,
      maxConnections,
      runtime = systemRuntime(),
    } = options;
    const settings = { timeoutMs, maxConnections, runtime };
    const database = openDatabase(
      db === undefined ? { dbUrl, ...settings } : { dbUrl, db, dialect: 'postgres' as const, ...settings },
    );
    if (database.dialect.name !== 'postgres')
      throw new TholeError('INVALID_INPUT', 'dbUrl must be a URL of PostgreSQL (postgresql://…).');
    super({ database, dialect: pgvector, runtime, tablePrefix, schema, autoMigrate });
  }
}

const pgvector: VectorDialect = {
  types: { name: 'text collate "C"', text: 'text collate "C"', integer: 'integer', vector: 'vector' },
  placeholder: '?::vector',
  bind: (unit) => `[${unit.join(',')}]`,
  distance: 'vector <=> ?::vector',
  lockUser: 'SELECT pg_advisory_xact_lock(hashtext(?), hashtext(?))',
  prepare,
  keyColumnsSql: (table) =>
    `SELECT count(*) AS count FROM pg_index, unnest(indkey) WHERE indrelid = to_regclass('${table}') AND indisprimary`,
};

function* prepare(): Steps<void> {
  const { rows } = yield* query(`SELECT name, installed_version FROM pg_available_extensions WHERE name = 'vector'`);
  if (!rows[0]) {
    const nextStep = 'Install pgvector on the server (https://github.com/pgvector/pgvector)';
    throw new TholeError('DRIVER_MISSING', `The PostgreSQL server does not have the extension "vector". ${nextStep}.`);
  }
  if (rows[0]['installed_version'] !== null) return;
  try {
    yield* query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (cause) {
    if (!isSqlFailure(cause, 'refused')) throw cause;
    const nextStep = 'A user with the right to create extensions must run CREATE EXTENSION vector';
    throw new TholeError('DRIVER_MISSING', `The database does not have the extension "vector". ${nextStep}.`, {
      cause,
    });
  }
}
