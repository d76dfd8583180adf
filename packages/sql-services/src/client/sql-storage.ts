import { systemRuntime, TholeError } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import type { DatabaseOptions } from './sql-options.ts';
import { assertSchemaVersion, migrate, readSchemaVersion } from '../schema/migrate.ts';
import { tableNames } from '../schema/table-names.ts';
import type { TableNames } from '../schema/table-names.ts';
import { ServerClock } from './server-clock.ts';
import { openDatabase } from './open-database.ts';
import { withDeadline } from './with-deadline.ts';
import { isSqlFailure, sqlFailure, mapSqlError } from './sql-failure.ts';
import { query } from './sql-database.ts';
import type { SqlDatabase, StatementResult, Steps } from './sql-database.ts';

/** A database with our tables in it: what the stores stand on. Its errors are `TholeError`s. */
export class SqlStorage {
  readonly dialect: Dialect;
  readonly tables: TableNames;
  readonly runtime: Runtime;
  readonly clock: ServerClock;
  readonly #database: SqlDatabase;
  readonly #options: DatabaseOptions;
  #isReady = false;
  #preparing: Promise<void> | undefined;

  /** Nothing is connected to before the first call. */
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
    this.clock = new ServerClock(this.#database, this.runtime);
  }

  /** When a call that begins now has to end. What follows takes it, so that all steps of a call share one time limit. */
  deadline(): number {
    return this.#database.deadline();
  }

  /** Statements that change nothing, each by itself. */
  async read<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#told(this.#database.run(steps, { writes: false, deadline }));
  }

  /** Statements that change nothing, all of one moment. */
  async readSnapshot<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#told(this.#database.snapshot(steps, deadline));
  }

  /** One statement that writes, or several of which each stands for itself. */
  async write<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#told(this.#database.run(steps, { writes: true, deadline }));
  }

  /** Statements that are done together or not at all; `onDuplicate` answers for a unique key that is taken. */
  async transact<T>(
    steps: () => Steps<T>,
    { onDuplicate, deadline = this.deadline() }: { onDuplicate?: () => T | Promise<T>; deadline?: number } = {},
  ): Promise<T> {
    if (!this.#isReady) await this.#prepare(deadline);
    return this.#told(this.#database.transact(steps, deadline), onDuplicate);
  }

  /** Where a single statement is enough on this database, it is not put into a transaction. */
  async writeAtomically<T>(
    steps: () => Steps<T>,
    { inTransaction, ...p }: { inTransaction: boolean; onDuplicate: () => Promise<T>; deadline: number },
  ): Promise<T> {
    if (inTransaction) return this.transact(steps, p);
    if (!this.#isReady) await this.#prepare(p.deadline);
    return this.#told(this.#database.run(steps, { writes: true, deadline: p.deadline }), p.onDuplicate);
  }

  /** Makes the tables, or brings them to this package's version. */
  async migrate(): Promise<void> {
    const { tablePrefix = 'thole_', schema } = this.#options;
    await this.#told(migrate(this.#database, this.tables, { dialect: this.dialect, prefix: tablePrefix, schema }));
  }

  /** `STORE_UNAVAILABLE` unless the database answers; the tables are not asked for. */
  async ping(): Promise<void> {
    await this.#told<StatementResult>(this.#database.run(() => query('SELECT 1'), { writes: false }));
  }

  /** Removes text that was deleted or replaced from the database's files: now, or later while others read them. Never throws. */
  async erase(): Promise<void> {
    await this.#database.erase?.(this.#options.tablePrefix ?? 'thole_');
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #prepare(deadline: number): Promise<void> {
    this.#preparing ??= this.#told(this.#makeReady()).finally(() => (this.#preparing = undefined));
    await withDeadline(this.runtime, deadline, this.#preparing, () =>
      mapSqlError(
        sqlFailure('connection', new Error('The tables were not made ready in time.')),
        this.#database.displayName,
      ),
    );
  }

  async #makeReady(): Promise<void> {
    if (this.#options.autoMigrate ?? true) await this.migrate();
    else assertSchemaVersion(await readSchemaVersion(this.#database, this.tables));
    this.#isReady = true;
  }

  async #told<T>(working: Promise<T>, onDuplicate?: () => T | Promise<T>): Promise<T> {
    try {
      return await working;
    } catch (error) {
      if (onDuplicate && isSqlFailure(error, 'duplicate')) return onDuplicate();
      throw mapSqlError(error, this.#database.displayName);
    }
  }
}

/** Refuses options that nobody would read, then opens. */
export function openStorage(options: DatabaseOptions, known: readonly string[], where: string): SqlStorage {
  rejectUnknownOptions(options, known, where);
  return new SqlStorage(options);
}
