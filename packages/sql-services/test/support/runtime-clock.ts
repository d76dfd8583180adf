import type { Runtime } from '@thole/core';
import type { DatabaseOptions, MariaDbPool, PostgresPool } from '@thole/sql-services';
import { createPool } from 'mysql2/promise';
import type { QueryOptions } from 'mysql2/promise';
import pg from 'pg';
import { mariadb } from '../../src/dialects/mariadb.ts';
import { postgres } from '../../src/dialects/postgres.ts';

/** Connections to a database that returns the time of the test's clock. */
export interface RuntimeClock {
  /** Returns options with a pool that answers the query for the database's time with the time of the runtime. */
  options(runtime: Runtime): Pick<DatabaseOptions, 'db' | 'dialect'>;
  close(): Promise<void>;
}

export function runtimeClock(kind: 'postgres' | 'pgbouncer' | 'mariadb', dbUrl: string): RuntimeClock {
  return kind === 'mariadb' ? onMariaDb(dbUrl) : onPostgres(dbUrl);
}

function onPostgres(connectionString: string): RuntimeClock {
  const pool = new pg.Pool({ connectionString, max: 4 });
  const poolOf = (runtime: Runtime): PostgresPool => ({
    query: (sql) => pool.query(sql),
    async connect() {
      const client = await pool.connect();
      return {
        query: async (statement) =>
          statement.text === postgres.clockSql
            ? { rows: [{ now: runtime.now() }], rowCount: 1 }
            : client.query(statement),
        release: (destroy) => client.release(destroy),
      };
    },
  });
  return { options: (runtime) => ({ db: poolOf(runtime), dialect: 'postgres' }), close: () => pool.end() };
}

function onMariaDb(uri: string): RuntimeClock {
  const pool = createPool({ uri, connectionLimit: 4, charset: 'utf8mb4_bin' });
  const poolOf = (runtime: Runtime): MariaDbPool => ({
    async getConnection() {
      const connection = await pool.getConnection();
      const time = ({ sql }: QueryOptions): [unknown, unknown] | undefined =>
        sql === mariadb.clockSql ? [[{ now: runtime.now() }], []] : undefined;
      return {
        query: async (statement: QueryOptions) => time(statement) ?? connection.query(statement),
        execute: async (statement: QueryOptions, values: never[]) =>
          time(statement) ?? connection.execute(statement, values),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      };
    },
  });
  return { options: (runtime) => ({ db: poolOf(runtime), dialect: 'mariadb' }), close: () => pool.end() };
}
