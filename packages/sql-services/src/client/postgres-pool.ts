import { lazyPool } from './lazy-pool.ts';
import { driverMissing } from './driver-missing.ts';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { StatementResult } from './sql-database.ts';
import { KEEP_ALIVE_MS } from './sql-options.ts';

/** The part of a `pg` pool that this package uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  query(sql: string): Promise<unknown>;
}

/** The part of a `pg` client that this package uses. */
export interface PostgresClient {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: unknown[]; rowCount: number | null }>;
  release(destroy?: boolean): void;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

/** Returns the connections of a new pool. The first call opens it, and throws `DRIVER_MISSING` without `pg`. */
export function openPostgres(url: string, options: { maxConnections: number; timeoutMs: number }): ConnectionSource {
  const open = async (): Promise<PostgresPool & { end(): Promise<void> }> => {
    const { default: pg } = await loadPg();
    const pool = new pg.Pool({
      connectionString: url,
      max: options.maxConnections,
      connectionTimeoutMillis: options.timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      allowExitOnIdle: true,
    });
    // The pool replaces an idle connection that breaks. Without a listener, its error would end the process.
    pool.on('error', () => {});
    return pool as PostgresPool & { end(): Promise<void> };
  };
  return lazyPool(open, acquire);
}

/** Returns the connections of the caller's pool. */
export function postgresConnections(pool: PostgresPool): ConnectionSource {
  return { acquire: () => acquire(pool), close: async () => {} };
}

async function acquire(pool: PostgresPool): Promise<ServerConnection> {
  // If the connection breaks, its current query fails. Without a listener, the error would also end the process.
  const ignore = (): void => {};
  const client = await connect(pool, (newClient) => void newClient.on?.('error', ignore));
  return {
    async run({ sql, parameters }): Promise<StatementResult> {
      // The statement has no name, because a pooler may use another server connection for each transaction.
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
 * Connects with a callback, which `pg` calls before it reads more data. A promise resolves a moment later: if the connection
 * breaks before that, the process ends, because there is no listener yet. Other pools may support promises only.
 */
function connect(pool: PostgresPool, onConnected: (client: PostgresClient) => void): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const use = (client: PostgresClient): void => {
      onConnected(client);
      resolve(client);
    };
    const callbackPool = pool as { connect(callback: (error: unknown, client?: PostgresClient) => void): unknown };
    const promise = callbackPool.connect((error, client) => (client ? use(client) : reject(error as Error)));
    if (promise !== undefined) Promise.resolve(promise as Promise<PostgresClient>).then(use, reject);
  });
}

async function loadPg() {
  try {
    return await import('pg');
  } catch (cause) {
    throw driverMissing('pg', cause);
  }
}
