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

/** Calls `afterEach` after each statement, if it is given. */
export function recordPostgres(connectionString: string, afterEach?: () => Promise<void>): RecordingPool<PostgresPool> {
  const roundTrips: RecordingPool<PostgresPool>['roundTrips'] = [];
  const pool = new pg.Pool({ connectionString, max: 4 });
  const recording: PostgresPool = {
    query: (sql) => pool.query(sql),
    async connect() {
      const client = await pool.connect();
      const query: PostgresClient['query'] = async (statement) => {
        roundTrips.push(statement);
        const result = await client.query(statement);
        await afterEach?.();
        return result;
      };
      return { query, release: (destroy) => client.release(destroy) };
    },
  };
  return { pool: recording, roundTrips, close: () => pool.end() };
}

/** Calls `afterEach` after each statement, if it is given. */
export function recordMariaDb(uri: string, afterEach?: () => Promise<void>): RecordingPool<MariaDbPool> {
  const roundTrips: RecordingPool<MariaDbPool>['roundTrips'] = [];
  const pool = createPool({ uri, connectionLimit: 4, charset: 'utf8mb4_bin' });
  const recording = {
    async getConnection() {
      const connection = await pool.getConnection();
      const record = async <T>(statement: QueryOptions, run: () => Promise<T>): Promise<T> => {
        roundTrips.push({ text: statement.sql });
        const result = await run();
        await afterEach?.();
        return result;
      };
      return {
        query: (statement: QueryOptions) => record(statement, () => connection.query(statement)),
        execute: (statement: QueryOptions, values: never[]) =>
          record(statement, () => connection.execute(statement, values)),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      };
    },
  };
  return { pool: recording, roundTrips, close: () => pool.end() };
}
