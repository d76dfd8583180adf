import { lazyPool } from './lazy-pool.ts';
import { driverMissing } from './driver-missing.ts';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, StatementResult } from './sql-database.ts';
import { KEEP_ALIVE_MS } from './sql-options.ts';

/** A pool of `mysql2/promise`, or of `mysql2`. */
export interface MariaDbPool {
  getConnection: unknown;
}

interface PromisePool {
  getConnection(): Promise<PromiseConnection>;
}

interface OpenedPool extends PromisePool {
  on(name: 'connection', listener: (connection: NewConnection) => void): void;
  end(): Promise<void>;
}

interface NewConnection {
  readonly stream: Socket;
  query(sql: string, done: (error: unknown) => void): void;
  destroy(): void;
}

interface Socket {
  once(name: 'close', listener: () => void): void;
  unref(): void;
}

interface PromiseConnection {
  execute(statement: MariaDbStatement, values: unknown[]): Promise<[unknown, unknown]>;
  query(statement: MariaDbStatement): Promise<[unknown, unknown]>;
  release(): void;
  destroy(): void;
}

/** Options of each statement. A pool of the caller may have other defaults. */
const ROWS_AS_OBJECTS = { rowsAsArray: false, nestTables: false } as const;

/**
 * Settings of a connection whose values on a server can change stored texts, keep single statements in an open transaction, or
 * change the meaning of SQL.
 */
const SETTINGS = `SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION autocommit = 1, SESSION sql_mode = 'STRICT_ALL_TABLES'`;

type MariaDbStatement = { readonly sql: string } & typeof ROWS_AS_OBJECTS;

/** Returns the connections of a new pool. The first call opens it, and throws `DRIVER_MISSING` without `mysql2`. */
export function openMariaDb(url: string, options: { maxConnections: number; timeoutMs: number }): ConnectionSource {
  const sockets = new Set<Socket>();
  const open = async (): Promise<OpenedPool> => {
    const { createPool } = await loadMysql2();
    const pool = createPool({
      uri: url,
      connectionLimit: options.maxConnections,
      connectTimeout: options.timeoutMs,
      charset: 'utf8mb4_bin',
      enableKeepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    const openedPool = pool as unknown as OpenedPool;
    // Both statements run once per connection, before its first other statement.
    openedPool.on('connection', (connection) => {
      const { stream } = connection;
      sockets.add(stream);
      stream.once('close', () => void sockets.delete(stream));
      connection.query(SETTINGS, (error) => {
        // Without these settings, texts could be stored differently.
        if (error) connection.destroy();
      });
      // If this fails, transactions use the default level of the server: they are correct, but have more conflicts.
      connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', () => {});
    });
    return openedPool;
  };
  const source = lazyPool(open, acquire);
  const close = async (): Promise<void> => {
    await source.close();
    // The server closes the sockets. One that does not answer must not keep the process alive.
    for (const socket of sockets) socket.unref();
  };
  return { ...source, close, isReadCommitted: true };
}

/** Returns the connections of the caller's pool. */
export function mariaDbConnections(pool: MariaDbPool): ConnectionSource {
  const { promise } = pool as { promise?: unknown };
  const promisePool =
    typeof promise === 'function' ? (promise.call(pool) as PromisePool) : (pool as unknown as PromisePool);
  return { acquire: () => acquire(promisePool), close: async () => {} };
}

async function acquire(pool: PromisePool): Promise<ServerConnection> {
  const connection = await pool.getConnection();
  return {
    async run({ sql, parameters }): Promise<StatementResult> {
      const statement = { sql, ...ROWS_AS_OBJECTS };
      // The server prepares the statement. mysql2's `query` writes parameters into the SQL, which is unsafe in some sql_modes.
      const [result] =
        parameters.length === 0
          ? await connection.query(statement)
          : await connection.execute(statement, [...parameters]);
      if (Array.isArray(result)) return { rows: result as Row[], changes: result.length };
      const { affectedRows, insertId } = result as { affectedRows?: number; insertId?: number };
      return { rows: [], changes: affectedRows ?? 0, insertId };
    },
    release: () => connection.release(),
    destroy: () => connection.destroy(),
  };
}

async function loadMysql2() {
  try {
    return await import('mysql2/promise');
  } catch (cause) {
    throw driverMissing('mysql2', cause);
  }
}
