import type { Dialect } from '../dialects/dialect.ts';

/** A parameter of a statement. Callers convert other values first. */
export type SqlValue = string | number | null | Uint8Array;

/** A statement with its parameters. On a server it is one round trip. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A row as the driver returns it. */
export type Row = { readonly [column: string]: unknown };

/** Result of a statement. */
export interface StatementResult {
  readonly rows: readonly Row[];
  /** Number of rows that were written, or that an UPDATE found. */
  readonly changes: number;
  /** Row number of the last inserted row. On MariaDB it may be the argument of `LAST_INSERT_ID(…)`. */
  readonly insertId?: number | undefined;
}

/**
 * Work in a database as a generator. Each `yield` runs a statement and returns its result or throws its error. SQLite runs
 * all steps synchronously. A server is awaited after each step. Steps that are part of other steps must be generators, not
 * arrays: with an array, `yield*` throws a `TypeError` instead of the statement's error.
 */
export type Steps<T> = Generator<Statement, T, StatementResult>;

/** Options of `SqlDatabase.run`. */
export interface RunOptions {
  /** True if the steps write. Then the outcome is unknown if no answer arrives. */
  readonly writes: boolean;
  /** Time at which the call must end, if it is part of a longer call. */
  readonly deadline?: number | undefined;
}

/** A database that runs steps. Throws a `SqlFailure`, or the error that the steps throw. */
export interface SqlDatabase {
  readonly dialect: Dialect;
  /** Name for messages: the file, or the database's name, host and port. */
  readonly displayName: string;
  /** Returns the time at which a call that starts now must end, by the runtime's monotonic clock. */
  deadline(): number;
  /** Runs each statement separately. Retries conflicts until the deadline. */
  run<T>(steps: () => Steps<T>, options: RunOptions): Promise<T>;
  /** Runs all statements in one transaction. Retries conflicts until the deadline. */
  transact<T>(steps: () => Steps<T>, deadline?: number): Promise<T>;
  /** Runs statements that only read. All of them see one state of the database. */
  snapshot<T>(steps: () => Steps<T>, deadline?: number): Promise<T>;
  /**
   * Removes deleted and replaced text of tables with this prefix from the files of the database, now or later. Never throws.
   * Absent if the server does this itself.
   */
  erase?(tablePrefix: string): Promise<void>;
  /** Rewrites the files of the database without unused space. Absent if the server does this itself. */
  compact?(): Promise<void>;
  /** Closes the connections. Can be repeated. */
  close(): Promise<void>;
}

/** Steps of one statement. */
export function* query(sql: string, parameters: readonly SqlValue[] = []): Steps<StatementResult> {
  return yield { sql, parameters };
}
