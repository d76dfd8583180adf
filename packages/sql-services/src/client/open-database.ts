import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, invalidInput } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Dialect, DialectName } from '../dialects/dialect.ts';
import { mariadb } from '../dialects/mariadb.ts';
import { postgres } from '../dialects/postgres.ts';
import { sqlite } from '../dialects/sqlite.ts';
import { displayNameOfAddress, displayNameOfPool } from './display-name.ts';
import { kyselyConnections } from './kysely-connections.ts';
import type { KyselyDatabase } from './kysely-connections.ts';
import { mariaDbConnections, openMariaDb } from './mariadb-pool.ts';
import type { MariaDbPool } from './mariadb-pool.ts';
import { parseDatabaseUrl } from './parse-database-url.ts';
import { openPostgres, postgresConnections } from './postgres-pool.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { ServerDatabase } from './server-database.ts';
import type { ConnectionSource } from './server-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { TIMEOUT_MS } from './sql-options.ts';
import type { DatabaseOptions } from './sql-options.ts';
import { SqliteDatabase } from './sqlite-database.ts';

const dialects: { readonly [name in DialectName]: Dialect } = { sqlite, postgres, mariadb };

/** Maximum of a timer in milliseconds. Timers of drivers that are set to more end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns the database of the options. Does not connect yet. Throws `INVALID_INPUT` for invalid options. */
export function openDatabase(options: DatabaseOptions, { readOnly = false }: { readOnly?: boolean } = {}): SqlDatabase {
  const { dbUrl, db, maxConnections = 10, synchronous = 'NORMAL' } = options;
  const runtime = options.runtime ?? systemRuntime();
  assertCount('timeoutMs', options.timeoutMs ?? TIMEOUT_MS, 1);
  const timeoutMs = Math.min(options.timeoutMs ?? TIMEOUT_MS, MAX_TIMER_MS);
  assertCount('maxConnections', maxConnections, 1);
  if (synchronous !== 'NORMAL' && synchronous !== 'FULL') {
    throw new TholeError('INVALID_INPUT', `synchronous must be 'NORMAL' or 'FULL'.`);
  }
  if ((dbUrl === undefined) === (db === undefined)) {
    throw new TholeError('INVALID_INPUT', 'A database service needs either dbUrl or db.');
  }
  if (db !== undefined) return openCallerDatabase(db, options.dialect, runtime, timeoutMs);
  if (options.dialect !== undefined) {
    throw new TholeError(
      'INVALID_INPUT',
      'dialect must not be set together with dbUrl, because the URL names the database.',
    );
  }
  const address = parseDatabaseUrl(dbUrl);
  if (address.kind === 'sqlite') {
    const { path } = address;
    return new SqliteDatabase({ path, readOnly, synchronous, dialect: sqlite, runtime, timeoutMs });
  }
  const open = address.kind === 'postgres' ? openPostgres : openMariaDb;
  const source = open(address.url, { maxConnections, timeoutMs });
  const displayName = displayNameOfAddress(address);
  return new ServerDatabase({ dialect: dialects[address.kind], source, runtime, timeoutMs, displayName });
}

function openCallerDatabase(db: unknown, name: unknown, runtime: Runtime, timeoutMs: number): SqlDatabase {
  if (typeof name !== 'string' || !Object.hasOwn(dialects, name)) {
    throw new TholeError('INVALID_INPUT', `dialect must be 'sqlite', 'postgres' or 'mariadb' if db is given.`);
  }
  const dialect = dialects[name as DialectName];
  const source = toConnectionSource(db, dialect.name);
  return new ServerDatabase({ dialect, source, runtime, timeoutMs, displayName: displayNameOfPool(db) });
}

function toConnectionSource(db: unknown, name: DialectName): ConnectionSource {
  const has = (method: string): boolean =>
    typeof db === 'object' && db !== null && typeof (db as { [method: string]: unknown })[method] === 'function';
  if (has('connection') && has('withoutPlugins')) return kyselyConnections(db as KyselyDatabase);
  if (name === 'postgres' && has('connect') && has('query')) return postgresConnections(db as PostgresPool);
  if (name === 'mariadb' && has('getConnection')) return mariaDbConnections(db as MariaDbPool);
  throw invalidInput('db', 'a Kysely instance, or a pool of pg or mysql2 with its dialect', db);
}
