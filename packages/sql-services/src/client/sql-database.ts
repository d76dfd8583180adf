import type { Dialect } from '../dialects/dialect.ts';

/** What may be bound to a statement; everything else is converted before. */
export type SqlValue = string | number | null | Uint8Array;

/** One statement with its parameters: one round trip. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A row as the driver gave it. */
export type Row = { readonly [column: string]: unknown };

/** What the database answered. */
export interface StatementResult {
  readonly rows: readonly Row[];
  /** How many rows were written, or found by an update. */
  readonly changes: number;
  /** Of the last row that was inserted, or what MariaDB's `LAST_INSERT_ID(…)` was given. */
  readonly insertId?: number | undefined;
}

/**
 * What is done in a database, step by step: each `yield` is a statement and answers its result, or throws what failed. SQLite
 * runs all of it within one tick, so that nothing of this process comes between; a server is awaited at each. Steps within
 * steps are generators and never lists: `yield*` over a list throws a `TypeError` in place of what failed.
 */
export type Steps<T> = Generator<Statement, T, StatementResult>;

/** What kind of call it is. */
export interface RunOptions {
  /** Whether an answer that never came leaves the outcome open. */
  readonly writes: boolean;
  /** Where it is a part of a longer call: when that has to end. */
  readonly deadline?: number | undefined;
}

/** A database that steps are run in. Rejects with a `SqlFailure` or what the steps threw. */
export interface SqlDatabase {
  readonly dialect: Dialect;
  /** Names it in messages: file, or name, host and port. */
  readonly displayName: string;
  /** When a call that begins now has to end, by the runtime's monotonic clock. */
  deadline(): number;
  /** Each statement by itself. What conflicted is begun anew until the time limit. */
  run<T>(steps: () => Steps<T>, kind: RunOptions): Promise<T>;
  /** All statements together or not at all; begun anew likewise. */
  transact<T>(steps: () => Steps<T>, deadline?: number): Promise<T>;
  /** All statements of one moment; none of them writes. */
  snapshot<T>(steps: () => Steps<T>, deadline?: number): Promise<T>;
  /**
   * Removes text that was deleted from, or replaced in, tables with this prefix from the database's files: now, or later while
   * others read them. Never throws.
   */
  erase?(tablePrefix: string): Promise<void>;
  /** Harmless when repeated. */
  close(): Promise<void>;
}

/** Steps of one statement. */
export function* query(sql: string, parameters: readonly SqlValue[] = []): Steps<StatementResult> {
  return yield { sql, parameters };
}
