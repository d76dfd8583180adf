import { TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';

/** Kind of a database. Use `mysql` for MariaDB too. */
export type SqlDialect = 'sqlite' | 'postgresql' | 'mysql';

/** The value of a statement's parameter. */
export type SqlParameter = string | number | null;

/** The result of a statement. */
export interface SqlResult {
  rows: readonly { readonly [column: string]: unknown }[];
  /** Number of inserted, updated or deleted rows. */
  changes: number;
}

/** Access to a database, provided by the app: over a connection, a pool or a query builder. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Runs one statement. Placeholders are `?`, in PostgreSQL `$1`, `$2` … */
  query(sql: string, parameters: readonly SqlParameter[]): Promise<SqlResult>;
  close?(): Promise<void>;
}

/** Options of the SQL stores. */
export interface SqlStoreOptions {
  database: SqlDatabase;
  /** Prefix of table names: at most 40 letters, digits and `_`. Default: none. */
  tablePrefix?: string | undefined;
  runtime?: Runtime | undefined;
}

const names = optionNames<SqlStoreOptions>({ database: true, tablePrefix: true, runtime: true });

/** The tables of a store in a database. They are created before the first statement. */
export class SqlTables {
  readonly dialect: SqlDialect;
  readonly #database: SqlDatabase;
  readonly #statements: readonly string[];
  #created: Promise<void> | undefined;

  /** `create` returns the statements that create the tables if they do not exist. */
  constructor({ database }: SqlStoreOptions, create: (dialect: SqlDialect) => readonly string[]) {
    if (typeof database?.query !== 'function') throw invalidInput('database', 'an SqlDatabase', database);
    if (!['sqlite', 'postgresql', 'mysql'].includes(database.dialect))
      throw new TholeError('INVALID_INPUT', `database.dialect must be 'sqlite', 'postgresql' or 'mysql'.`);
    this.dialect = database.dialect;
    this.#database = database;
    this.#statements = create(database.dialect);
  }

  /** Runs a statement with `?` as parameters. Throws `STORE_UNAVAILABLE` with the error of the database as its cause. */
  async run(sql: string, parameters: readonly SqlParameter[] = []): Promise<SqlResult> {
    await (this.#created ??= this.#create());
    return this.#query(sql, parameters);
  }

  async close(): Promise<void> {
    await this.#database.close?.();
  }

  async #create(): Promise<void> {
    try {
      for (const sql of this.#statements) await this.#query(sql, []);
    } catch (error) {
      // The next call tries again.
      this.#created = undefined;
      throw error;
    }
  }

  async #query(sql: string, parameters: readonly SqlParameter[]): Promise<SqlResult> {
    let count = 0;
    const text = this.dialect === 'postgresql' ? sql.replace(/\?/g, () => `$${++count}`) : sql;
    try {
      return await this.#database.query(text, parameters);
    } catch (cause) {
      throw new TholeError(
        'STORE_UNAVAILABLE',
        'The database of a channel store failed. The cause is the original error.',
        {
          cause,
        },
      );
    }
  }
}

/** Returns the prefix of table names. Throws `INVALID_INPUT` if it or the name of another option of `owner` is invalid. */
export function readTablePrefix(options: SqlStoreOptions, owner: string): string {
  rejectUnknownOptions(options, names, owner);
  const { tablePrefix = '' } = options;
  if (!/^\w{0,40}$/.test(tablePrefix))
    throw new TholeError('INVALID_INPUT', 'tablePrefix must be at most 40 letters, digits and "_".');
  return tablePrefix;
}

/** Returns the text of a column that a driver may return as bytes. */
export function columnText(value: unknown): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value as Uint8Array);
}

/** Returns a number that a driver may return as text. */
export function columnNumber(value: unknown): number {
  return Number(value);
}
