import type { DialectAdapter, QueryCompiler } from 'kysely';
import type { FailureKind } from '../client/sql-failure.ts';
import type { Statement, Steps } from '../client/sql-database.ts';
import type { TableNames } from '../schema/table-names.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import type { StateOwner, StateWrite } from '../session/state-writes.ts';

/** The databases that are served. */
export type DialectName = 'sqlite' | 'postgres' | 'mariadb';

/** The column types that the tables are made of. */
export interface ColumnTypes {
  /** A row's own number, given by the database and never twice. */
  readonly rowId: string;
  readonly integer: string;
  /** Seconds with fractions, exact to the last bit. */
  readonly time: string;
  /** A name of at most 512 bytes: every byte counts, case and trailing blanks included. */
  readonly name: string;
  /** The same of at most 80 bytes. */
  readonly shortName: string;
  readonly text: string;
  /** A flat JSON object of strings, which the database itself can merge. */
  readonly document: string;
  readonly bytes: string;
  /** Written behind `CREATE TABLE (…)`. */
  readonly tableEnd: string;
}

/** How an append is done in as few round trips as the database allows. */
export interface AppendSteps {
  readonly inTransaction: boolean;
  steps(record: AppendRecord): Steps<AppendOutcome>;
  /** Why nothing was stored, asked after a unique key was broken. */
  explain(record: AppendRecord): Steps<AppendOutcome>;
}

/** Everything in which one database differs from the others. */
export interface Dialect {
  readonly name: DialectName;
  readonly types: ColumnTypes;
  createAdapter(): DialectAdapter;
  createQueryCompiler(): QueryCompiler;
  /** Whether `CREATE TABLE` takes the indexes too, where `CREATE INDEX IF NOT EXISTS` is not known everywhere. */
  readonly indexesInTable: boolean;
  /** Behind an INSERT, so that its answer tells the number that the row was given; else it is the insert id. */
  readonly returning: (column: string) => string;
  /** The statement that begins a transaction which will write. */
  readonly begin: string;
  /** The same for one that reads several things of one moment. */
  readonly beginSnapshot: string;
  /** Behind a SELECT whose rows are going to be written. */
  readonly forUpdate: string;
  /** Asks the database for its time: seconds as `now`. Undefined where that is this machine's. */
  readonly clockSql: string | undefined;
  /** A name as it is bound, so that it is compared byte by byte. */
  readonly bindName: (value: string) => string | Uint8Array;
  /** SQL with `?` for each parameter, in the database's own writing. */
  statement(sql: string): string;
  /** Writes keys of an app's or a user's state, whose names the columns hold, and counts the write. */
  writeState(table: string, owner: StateOwner, writes: readonly StateWrite[]): Steps<void>;
  /** A document that begins as this patch: `?`. */
  readonly newDocument: string;
  append(tables: TableNames): AppendSteps;
  /** Makes the migrations of several processes wait for each other. */
  migrationLock(name: string): { readonly take: Statement | undefined; readonly free: Statement | undefined };
  classifyError(error: unknown): FailureKind;
}
