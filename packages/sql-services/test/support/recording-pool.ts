import type { MariaDbPool, PostgresClient, PostgresPool } from '@thole/sql-services';
import { createPool } from 'mysql2/promise';
import type { QueryOptions } from 'mysql2/promise';
import pg from 'pg';

/** A pool that records its round trips. */
export interface RecordingPool<Pool> {
  readonly pool: Pool;
  readonly roundTrips: { text: string; name?: string | undefined }[];
  close(): Promise<void>;
}

export function recordPostgres(connectionString: string): RecordingPool<PostgresPool> {
  const roundTrips: RecordingPool<PostgresPool>['roundTrips'] = [];
  const pool = new pg.Pool({ connectionString, max: 4 });
  const recording: PostgresPool = {
    query: (sql) => pool.query(sql),
    async connect() {
      const client = await pool.connect();
      const query: PostgresClient['query'] = (statement) => {
        roundTrips.push(statement);
        return client.query(statement);
      };
      return { query, release: (destroy) => client.release(destroy) };
    },
  };
  return { pool: recording, roundTrips, close: () => pool.end() };
}

export function recordMariaDb(uri: string): RecordingPool<MariaDbPool> {
  const roundTrips: RecordingPool<MariaDbPool>['roundTrips'] = [];
  const pool = createPool({ uri, connectionLimit: 4, charset: 'utf8mb4_bin' });
  const recording = {
    async getConnection() {
      const connection = await pool.getConnection();
      const record = (statement: QueryOptions): QueryOptions => {
        roundTrips.push({ text: statement.sql });
        return statement;
      };
      return {
        query: (statement: QueryOptions) => connection.query(record(statement)),
        execute: (statement: QueryOptions, values: never[]) => connection.execute(record(statement), values),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      };
    },
  };
  return { pool: recording, roundTrips, close: () => pool.end() };
}
