import { loadDriver } from './load-driver.ts';
import { lazyPool } from './lazy-pool.ts';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, StatementResult } from './sql-database.ts';

/** What is used of a pool of `mysql2/promise`, or of one of `mysql2` that has `promise()`. */
export interface MariaDbPool {
  getConnection: unknown;
}

interface PromisePool {
  getConnection(): Promise<PromiseConnection>;
}

interface PromiseConnection {
  execute(sql: string, values: unknown[]): Promise<[unknown, unknown]>;
  query(sql: string): Promise<[unknown, unknown]>;
  release(): void;
  destroy(): void;
}

/** A pool that is opened at the first call; `DRIVER_MISSING` then where `mysql2` is not installed. */
export function openMariaDb(url: string, options: { maxConnections: number; timeoutMs: number }): ConnectionSource {
  const open = async (): Promise<PromisePool & { end(): Promise<void> }> => {
    const { createPool } = await loadDriver('mysql2', () => import('mysql2/promise'));
    const pool = createPool({
      uri: url,
      connectionLimit: options.maxConnections,
      connectTimeout: options.timeoutMs,
      charset: 'utf8mb4_bin',
      enableKeepAlive: true,
    });
    return pool as unknown as PromisePool & { end(): Promise<void> };
  };
  return lazyPool(open, acquire);
}

/** Connections of a pool that somebody else opens and closes. */
export function mariaDbConnections(pool: MariaDbPool): ConnectionSource {
  const { promise } = pool as { promise?: unknown };
  const own = typeof promise === 'function' ? (promise.call(pool) as PromisePool) : (pool as unknown as PromisePool);
  return { acquire: () => acquire(own), close: async () => {} };
}

async function acquire(pool: PromisePool): Promise<ServerConnection> {
  const connection = await pool.getConnection();
  return {
    async run({ sql, parameters }): Promise<StatementResult> {
      // Prepared by the server: mysql2's `query` writes parameters into the text, which some sql_modes make unsafe.
      const [answer] =
        parameters.length === 0 ? await connection.query(sql) : await connection.execute(sql, [...parameters]);
      if (Array.isArray(answer)) return { rows: answer as Row[], changes: answer.length };
      const { affectedRows, insertId } = answer as { affectedRows?: number; insertId?: number };
      return { rows: [], changes: affectedRows ?? 0, insertId };
    },
    release: () => connection.release(),
    destroy: () => connection.destroy(),
  };
}
