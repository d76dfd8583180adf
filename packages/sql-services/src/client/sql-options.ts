import type { Runtime } from '@thole/core';
import type { Kysely } from 'kysely';
import type { MariaDbPool } from './mariadb-pool.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { DialectName } from '../dialects/dialect.ts';

/** How long a call may take unless it is told otherwise. */
export const TIMEOUT_MS = 30_000;

/** Where the database is, and how it is spoken to. */
export interface DatabaseOptions {
  /**
   * `sqlite:///./file.db`, `sqlite:////absolute/file.db`, `sqlite://:memory:`, `postgresql://…`, `mysql://…`. A driver of Python in the
   * scheme (`postgresql+asyncpg://…`) is left out.
   */
  dbUrl?: string | undefined;
  /** Instead of a URL: a pool of `pg` or `mysql2`, or a Kysely instance. It is neither opened nor closed. */
  db?: PostgresPool | MariaDbPool | Kysely<never> | undefined;
  /** What `db` speaks; needed with `db`. */
  dialect?: DialectName | undefined;
  /** What the tables' names begin with (`thole_`): lower-case letters, digits, underscores. */
  tablePrefix?: string | undefined;
  /** The schema that the tables are in, on PostgreSQL, or the database, on MariaDB: lower-case letters, digits, underscores. */
  schema?: string | undefined;
  /** Whether the tables are made at the first call (true). Where the user of run-time may not: `migrate()` by another. */
  autoMigrate?: boolean | undefined;
  /** How long one call may take (30,000). */
  timeoutMs?: number | undefined;
  /** Most connections of a pool that is opened from a URL (10). */
  maxConnections?: number | undefined;
  /** Of SQLite: what is flushed to the disk with each commit. `NORMAL` (default) survives the process, `FULL` a power cut too. */
  synchronous?: 'NORMAL' | 'FULL' | undefined;
  runtime?: Runtime | undefined;
}

/** The names of the options above. */
export const databaseOptionNames: readonly (keyof DatabaseOptions)[] = [
  'dbUrl',
  'db',
  'dialect',
  'tablePrefix',
  'schema',
  'autoMigrate',
  'timeoutMs',
  'maxConnections',
  'synchronous',
  'runtime',
];
