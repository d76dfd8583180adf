import { SqlSessionStore } from '@thole/sql-services';
import { createPool } from 'mysql2/promise';
import pg from 'pg';

const names = [
  'sessions',
  'events',
  'app_states',
  'user_states',
  'leases',
  'lease_waiters',
  'artifacts',
  'artifact_names',
  'memory_scopes',
  'memory_entries',
  'memory_segments',
  'credentials',
];

/** The tables on a server. Emptying them before a test is faster than creating new ones. */
export interface ServerTables {
  query(sql: string): Promise<{ [column: string]: unknown }[]>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the tables with a prefix. The first query opens a separate connection. */
export function serverTables(
  kind: 'postgres' | 'pgbouncer' | 'mariadb',
  dbUrl: string,
  tablePrefix: string,
): ServerTables {
  const connection = connect(kind, dbUrl);
  let creating: Promise<void> | undefined;
  const create = async (): Promise<void> => {
    const store = new SqlSessionStore({ dbUrl, tablePrefix });
    await store.migrate();
    await store.close();
  };
  return {
    query: (sql) => connection.query(sql),
    async empty() {
      await (creating ??= create());
      await connection.query(names.map((name) => `DELETE FROM ${tablePrefix}${name}`).join('; '));
    },
    close: () => connection.close(),
  };
}

/** A connection to a server. The first query opens it. */
export function connect(
  kind: 'postgres' | 'pgbouncer' | 'mariadb',
  dbUrl: string,
): Pick<ServerTables, 'query' | 'close'> {
  return kind === 'mariadb' ? connectMariaDb(dbUrl) : connectPostgres(dbUrl);
}

function connectPostgres(connectionString: string): Pick<ServerTables, 'query' | 'close'> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  // `end` resolves before the connection is closed. If its database is removed then, the error must not end the process.
  pool.on('error', () => {});
  return { query: async (sql) => (await pool.query(sql)).rows as never, close: () => pool.end() };
}

function connectMariaDb(uri: string): Pick<ServerTables, 'query' | 'close'> {
  const pool = createPool({ uri, connectionLimit: 1, multipleStatements: true });
  return { query: async (sql) => (await pool.query(sql))[0] as never, close: () => pool.end() };
}
