import type { Runtime } from '@thole/core';
import { invalidInput, isPlainObject, optionNames } from '@thole/core/kit';
import type { DialectName } from '../dialects/dialect.ts';
import type { KyselyDatabase } from './kysely-connections.ts';
import type { MariaDbPool } from './mariadb-pool.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** Default time limit of a call in milliseconds. */
export const TIMEOUT_MS = 30_000;

/**
 * Time in milliseconds after which an idle connection to a server sends packets, so that no firewall or balancer forgets it, and
 * that the loss of the server is noticed. Linux waits two hours.
 */
export const KEEP_ALIVE_MS = 10_000;

/** Options of every SQL service: the database and its connections. */
export interface DatabaseOptions {
  /**
   * URL of the database: `sqlite:///./file.db`, `sqlite:////absolute/file.db`, `sqlite://:memory:`, `postgresql://…` or
   * `mysql://…`. The name of a Python driver (`postgresql+asyncpg://…`) is ignored. Required without `db`.
   */
  dbUrl?: string | undefined;
  /** Instead of `dbUrl`: a pool of `pg` or `mysql2`, or a Kysely instance. The caller opens and closes it. */
  db?: PostgresPool | MariaDbPool | KyselyDatabase | undefined;
  /** Database of `db`. Required with `db`. */
  dialect?: DialectName | undefined;
  /** Start of all table names: lower-case letters, digits and underscores. Default: `thole_`. */
  tablePrefix?: string | undefined;
  /** Schema (PostgreSQL) or database (MariaDB) of the tables: lower-case letters, digits and underscores. Default: none. */
  schema?: string | undefined;
  /** True if the first call creates or updates the tables. If false, call `migrate()`. Default: true. */
  autoMigrate?: boolean | undefined;
  /** Time limit of one call in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of connections of a pool that is opened from a URL. Default: 10. */
  maxConnections?: number | undefined;
  /**
   * Durability of SQLite commits. `NORMAL` keeps them if the process dies. `FULL` also keeps them in a power failure, with
   * one flush to the disk per commit. Default: `NORMAL`.
   */
  synchronous?: 'NORMAL' | 'FULL' | undefined;
  /** Clock, ids, timers and logger. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

/** Names of all `DatabaseOptions`. */
export const sqlOptionNames: readonly string[] = optionNames<DatabaseOptions>({
  dbUrl: true,
  db: true,
  dialect: true,
  tablePrefix: true,
  schema: true,
  autoMigrate: true,
  timeoutMs: true,
  maxConnections: true,
  synchronous: true,
  runtime: true,
});

/** Returns the options of a service that was created with a URL or options. Throws `INVALID_INPUT` for any other argument. */
export function toServiceOptions<Options extends DatabaseOptions>(
  urlOrOptions: string | Options,
  service: string,
): Partial<Options> {
  if (typeof urlOrOptions === 'string') return { dbUrl: urlOrOptions } as Partial<Options>;
  const options: unknown = urlOrOptions;
  if (!isPlainObject(options)) throw invalidInput(`The argument of ${service}`, 'a URL or options', options);
  return urlOrOptions;
}
