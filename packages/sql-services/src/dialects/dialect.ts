import type { FailureKind } from '../client/sql-failure.ts';
import type { Statement, Steps } from '../client/sql-database.ts';
import type { TableNames } from '../schema/table-names.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import type { StateOwner, StateWrite } from '../session/state-writes.ts';

/** A supported database. */
export type DialectName = 'sqlite' | 'postgres' | 'mariadb';

/** SQL types of the columns. */
export interface ColumnTypes {
  /** Row number: assigned by the database and never reused. */
  readonly rowId: string;
  readonly integer: string;
  /** Seconds as a double-precision number. */
  readonly time: string;
  /** A name of at most 512 bytes. Comparison is byte by byte: case and trailing spaces are significant. */
  readonly name: string;
  /** Like `name`, with at most 80 bytes. */
  readonly shortName: string;
  readonly text: string;
  /** A flat JSON object of strings that the database can merge. */
  readonly document: string;
  readonly bytes: string;
  /** SQL after `CREATE TABLE (…)`. */
  readonly tableEnd: string;
}

/** The statements of an append, in as few round trips as the database allows. */
export interface AppendSteps {
  /** True if the steps must run in a transaction. */
  readonly inTransaction: boolean;
  steps(record: AppendRecord): Steps<AppendOutcome>;
  /** Returns why nothing was stored, after a violation of a unique key. */
  explain(record: AppendRecord): Steps<AppendOutcome>;
}

/** The differences between the databases. */
export interface Dialect {
  readonly name: DialectName;
  readonly types: ColumnTypes;
  /** Returns a name in quotes. The name must not contain a quote. */
  quote(name: string): string;
  /** True if `CREATE TABLE` contains the indexes. Not every server has `CREATE INDEX IF NOT EXISTS`. */
  readonly indexesInTable: boolean;
  /** False if an index always contains all rows of its table. */
  readonly hasPartialIndexes: boolean;
  /**
   * Returns the part of a SELECT, after the alias of its table, that names the index to use. Empty if the database has no
   * such part.
   */
  readonly useIndex: (name: string) => string;
  /** Statements before `begin` and `beginSnapshot`, if these cannot name the isolation level. */
  readonly isolation?: { readonly readCommitted: string; readonly repeatableRead: string } | undefined;
  /** Statement that starts a transaction that writes, with the isolation level READ COMMITTED. */
  readonly begin: string;
  /** Statement that starts a transaction whose reads see one state of the database. */
  readonly beginSnapshot: string;
  /**
   * Statement that copies committed pages from the write-ahead log into the file. Undefined if the server does this itself.
   */
  readonly checkpoint: string | undefined;
  /** End of a SELECT that locks its rows for a following write. */
  readonly forUpdate: string;
  /** Query for the time of the database in seconds, as `now`. Undefined if the database uses the clock of this machine. */
  readonly clockSql: string | undefined;
  /** Converts a name to the parameter that the database compares byte by byte. */
  readonly bindName: (value: string) => string | Uint8Array;
  /** Converts SQL with `?` for each parameter to the placeholders of the database. */
  statement(sql: string): string;
  /** Writes keys of an app's or a user's state and counts the write. */
  writeState(table: string, owner: StateOwner, writes: readonly StateWrite[]): Steps<void>;
  /** SQL expression that creates a document from a patch without null: `?`. */
  readonly newDocument: string;
  /** Returns the SQL expression that applies a patch, `?`, to the document in this column. */
  readonly patchDocument: (column: string) => string;
  append(tables: TableNames): AppendSteps;
  /** Returns the statements that take and release the lock for migrations. */
  migrationLock(name: string): { readonly acquire: Statement | undefined; readonly release: Statement | undefined };
  /** Returns the kind of a driver's error. */
  classifyError(error: unknown): FailureKind;
}
