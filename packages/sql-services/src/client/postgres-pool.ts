import { loadDriver } from './load-driver.ts';
import { lazyPool } from './lazy-pool.ts';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { StatementResult } from './sql-database.ts';

/** What is used of a pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  query(sql: string): Promise<unknown>;
}

/** What is used of a client of `pg`. */
export interface PostgresClient {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: unknown[]; rowCount: number | null }>;
  release(destroy?: boolean): void;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

/** A pool that is opened at the first call; `DRIVER_MISSING` then where `pg` is not installed. */
export function openPostgres(url: string, options: { maxConnections: number; timeoutMs: number }): ConnectionSource {
  const open = async (): Promise<PostgresPool & { end(): Promise<void> }> => {
    const { default: pg } = await loadDriver('pg', () => import('pg'));
    const pool = new pg.Pool({
      connectionString: url,
      max: options.maxConnections,
      connectionTimeoutMillis: options.timeoutMs,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // An idle connection that breaks is replaced when it is needed; without a listener it would end the process.
    pool.on('error', () => {});
    return pool as PostgresPool & { end(): Promise<void> };
  };
  return lazyPool(open, acquire);
}

/** Connections of a pool that somebody else opens and closes. */
export function postgresConnections(pool: PostgresPool): ConnectionSource {
  return { acquire: () => acquire(pool), close: async () => {} };
}

async function acquire(pool: PostgresPool): Promise<ServerConnection> {
  // A connection that breaks while it is ours fails what runs on it; without a listener it would end the process.
  const ignore = (): void => {};
  const client = await connect(pool, (connected) => void connected.on?.('error', ignore));
  return {
    async run({ sql, parameters }): Promise<StatementResult> {
      // Without a name: a pooler in front may hand each transaction to another server connection.
      const { rows, rowCount } = await client.query({ text: sql, values: [...parameters] });
      return { rows: rows as StatementResult['rows'], changes: rowCount ?? 0 };
    },
    release() {
      client.release();
      client.off?.('error', ignore);
    },
    destroy: () => client.release(true),
  };
}

/**
 * By callback, which a pool of `pg` calls before it reads on: what a promise gives comes a moment later, and a connection that
 * broke meanwhile would end the process. Other pools may know promises alone.
 */
function connect(pool: PostgresPool, onConnected: (client: PostgresClient) => void): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const take = (client: PostgresClient): void => {
      onConnected(client);
      resolve(client);
    };
    const byCallback = pool as { connect(callback: (error: unknown, client?: PostgresClient) => void): unknown };
    const promised = byCallback.connect((error, client) => (client ? take(client) : reject(error as Error)));
    if (promised !== undefined) Promise.resolve(promised as Promise<PostgresClient>).then(take, reject);
  });
}
