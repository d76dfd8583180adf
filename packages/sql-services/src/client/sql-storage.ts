import { systemRuntime, TholeError } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import { assertSchemaVersion, migrate, readSchemaVersion } from '../schema/migrate.ts';
import { tableNames } from '../schema/table-names.ts';
import type { TableNames } from '../schema/table-names.ts';
import { mapSqlError } from './map-sql-error.ts';
import { openDatabase } from './open-database.ts';
import { parseDatabaseUrl } from './parse-database-url.ts';
import { ServerClock } from './server-clock.ts';
import { query } from './sql-database.ts';
import type { SqlDatabase, StatementResult, Steps } from './sql-database.ts';
import { isSqlFailure } from './sql-failure.ts';
import type { DatabaseOptions } from './sql-options.ts';
import { tablesNotReady, withDeadline } from './with-deadline.ts';

/** Time in milliseconds after which a change of the tables that has not ended is logged. */
const SLOW_MIGRATION_MS = 10_000;

/** A database with the tables of this package. All stores use it. Its errors are `TholeError`s. */
export class SqlStorage {
  readonly dialect: Dialect;
  readonly tables: TableNames;
  readonly runtime: Runtime;
  readonly clock: ServerClock;
  /** True if the data outlives the process. False for SQLite in memory, and for SQLite through a connection of the caller. */
  readonly isDurable: boolean;
  readonly #database: SqlDatabase;
  readonly #options: DatabaseOptions;
  #isReady = false;
  #isClosed = false;
  #preparing: Promise<void> | undefined;

  /** The first call connects, not the constructor. */
  constructor(options: DatabaseOptions) {
    const { tablePrefix = 'thole_', schema, autoMigrate } = options;
    if (autoMigrate !== undefined && typeof autoMigrate !== 'boolean') {
      throw new TholeError('INVALID_INPUT', 'autoMigrate must be true or false.');
    }
    this.tables = tableNames(tablePrefix, schema);
    this.runtime = options.runtime ?? systemRuntime();
    this.#database = openDatabase({ ...options, runtime: this.runtime });
    this.#options = options;
    this.dialect = this.#database.dialect;
    if (schema !== undefined && this.dialect.name === 'sqlite') {
      throw new TholeError('INVALID_INPUT', 'schema must not be set for SQLite. Set tablePrefix to separate tables.');
    }
    this.isDurable = this.dialect.name !== 'sqlite' || isSqliteFile(options.dbUrl);
    this.clock = new ServerClock(this.#database, this.runtime);
  }

  /** Returns the time at which a call that starts now must end. All steps of a call share it. */
  deadline(): number {
    return this.#database.deadline();
  }

  /** Runs statements that only read, each separately. */
  async read<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#mapErrors(this.#database.run(steps, { writes: false, deadline }));
  }

  /** Runs statements that only read. All of them see one state of the database. */
  async readSnapshot<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#mapErrors(this.#database.snapshot(steps, deadline));
  }

  /** Runs statements that write, each separately. */
  async write<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#mapErrors(this.#database.run(steps, { writes: true, deadline }));
  }

  /** Runs statements in one transaction. Returns the result of `onDuplicate` if a unique key is taken. */
  async transact<T>(
    steps: () => Steps<T>,
    { onDuplicate, deadline = this.deadline() }: { onDuplicate?: () => T | Promise<T>; deadline?: number } = {},
  ): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#mapErrors(this.#database.transact(steps, deadline), onDuplicate);
  }

  /** Like `transact`. Without `inTransaction` the steps are a single statement, which needs no transaction. */
  async writeAtomically<T>(
    steps: () => Steps<T>,
    { inTransaction, ...p }: { inTransaction: boolean; onDuplicate: () => Promise<T>; deadline: number },
  ): Promise<T> {
    if (inTransaction) return this.transact(steps, p);
    if (!this.#isReady) await this.#prepare(p.deadline);
    return this.#mapErrors(this.#database.run(steps, { writes: true, deadline: p.deadline }), p.onDuplicate);
  }

  /** Creates the tables or updates them to the version of this package. Logs a warning after 10 seconds. */
  async migrate(): Promise<void> {
    const { tablePrefix = 'thole_', schema } = this.#options;
    const location = { dialect: this.dialect, prefix: tablePrefix, schema };
    const cancel = this.runtime.timer(SLOW_MIGRATION_MS, () => this.#logSlowMigration());
    try {
      await this.#mapErrors(migrate(this.#database, this.tables, location));
    } finally {
      cancel();
    }
  }

  #logSlowMigration(): void {
    const reason = 'There are many rows, another process does the same, or a transaction locks a table.';
    try {
      this.runtime.logger.warn(`${this.#database.displayName}: the tables are still created or updated. ${reason}`);
    } catch {
      // A failing logger must not end the process.
    }
  }

  /** Throws `STORE_UNAVAILABLE` unless the database answers. Does not need the tables. */
  async ping(): Promise<void> {
    await this.#mapErrors<StatementResult>(this.#database.run(() => query('SELECT 1'), { writes: false }));
  }

  /** Removes deleted and replaced text from the files of the database, now or later. Never throws. */
  async erase(): Promise<void> {
    await this.#database.erase?.(this.#options.tablePrefix ?? 'thole_');
  }

  /** Rewrites a SQLite file without unused space. Has no effect on a server. */
  async compact(): Promise<void> {
    if (this.#database.compact) await this.#mapErrors(this.#database.compact());
  }

  /** True if `close` was called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#database.close();
  }

  async #prepare(deadline: number): Promise<void> {
    this.#preparing ??= this.#makeReady().finally(() => (this.#preparing = undefined));
    const timeoutError = (): unknown => tablesNotReady(this.#database);
    await this.#mapErrors(withDeadline(this.runtime, deadline, this.#preparing, timeoutError));
  }

  async #makeReady(): Promise<void> {
    if (this.#options.autoMigrate ?? true) await this.migrate();
    else assertSchemaVersion(await readSchemaVersion(this.#database, this.tables));
    this.#isReady = true;
  }

  async #mapErrors<T>(result: Promise<T>, onDuplicate?: () => T | Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (onDuplicate && isSqlFailure(error, 'duplicate')) return onDuplicate();
      throw mapSqlError(error, this.#database.displayName);
    }
  }
}

function isSqliteFile(dbUrl: unknown): boolean {
  if (dbUrl === undefined) return false;
  const address = parseDatabaseUrl(dbUrl);
  return address.kind === 'sqlite' && address.path !== ':memory:';
}

/** Returns the storage of these options. Throws `INVALID_INPUT` if an option is unknown. `store` names the store. */
export function openStorage(options: DatabaseOptions, optionNames: readonly string[], store: string): SqlStorage {
  rejectUnknownOptions(options, optionNames, store);
  return new SqlStorage(options);
}
