import type { DatabaseSync } from 'node:sqlite';
import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import { displayNameOfAddress } from './display-name.ts';
import { NodeSqlite } from './node-sqlite.ts';
import { isSqlFailure, sqlFailure } from './sql-failure.ts';
import type { RunOptions, SqlDatabase, Steps } from './sql-database.ts';
import { SqliteEraser } from './sqlite-eraser.ts';
import { runSteps, runTransaction } from './sqlite-steps.ts';

/** How a SQLite file is opened. */
export interface SqliteOptions {
  readonly path: string;
  /** Nothing is written, neither the file's own settings. */
  readonly readOnly: boolean;
  readonly synchronous: 'NORMAL' | 'FULL';
  readonly dialect: Dialect;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Loads an extension into the connection, before anything else. */
  readonly extend?: ((database: DatabaseSync) => Promise<void>) | undefined;
}

/** A transaction that waits for its turn. */
interface Job {
  /** Whether it is settled; not where another process holds the lock. */
  attempt(): boolean;
  reject(error: unknown): void;
  readonly deadline: number;
}

/**
 * SQLite through one connection of `node:sqlite`. All steps of a call are run within one tick, so that calls of one process
 * never meet. Where another process holds the lock, this one sleeps for moments and asks again: it never blocks its event
 * loop. Those who wait are served in the order they came.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect: Dialect;
  readonly displayName: string;
  readonly #options: SqliteOptions;
  readonly #runtime: Runtime;
  readonly #line: Job[] = [];
  #opening: Promise<NodeSqlite> | undefined;
  #connection: NodeSqlite | undefined;
  #eraser: SqliteEraser | undefined;
  #isClosed = false;
  #isServing = false;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#runtime = options.runtime;
    this.dialect = options.dialect;
    this.displayName = displayNameOfAddress({ kind: 'sqlite', path: options.path });
  }

  deadline(): number {
    return this.#runtime.monotonic() + this.#options.timeoutMs;
  }

  async run<T>(steps: () => Steps<T>, { deadline = this.deadline() }: RunOptions): Promise<T> {
    const connection = this.#connection ?? (await this.#open());
    return this.#until(deadline, () => runSteps(connection, steps()));
  }

  async snapshot<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    const connection = this.#connection ?? (await this.#open());
    return this.#until(deadline, () => runTransaction(connection, steps, this.dialect.beginSnapshot));
  }

  async transact<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    const connection = this.#connection ?? (await this.#open());
    if (this.#line.length === 0) {
      const done = this.#attempt(() => runTransaction(connection, steps, this.dialect.begin));
      if (done) return done.value;
    }
    return new Promise((resolve, reject) => {
      const attempt = (): boolean => {
        try {
          const done = this.#attempt(() => runTransaction(connection, steps, this.dialect.begin));
          if (done) resolve(done.value);
          return done !== undefined;
        } catch (error) {
          reject(error as Error);
          return true;
        }
      };
      this.#line.push({ attempt, reject, deadline });
      void this.#serve();
    });
  }

  async erase(tablePrefix: string): Promise<void> {
    await this.#eraser?.erase(tablePrefix, () => this.#pause());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#opening?.catch(() => undefined);
    this.#eraser?.close();
    connection?.close();
  }

  #open(): Promise<NodeSqlite> {
    if (this.#isClosed) throw sqlFailure('refused', new Error('The database was closed.'));
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<NodeSqlite> {
    const connection = await NodeSqlite.open(this.#options).catch((error: unknown) => {
      throw this.#failureOf(error);
    });
    if (this.#options.readOnly) return (this.#connection = connection);
    try {
      // The first of several processes switches the file over; the others find it busy for a moment.
      await this.#until(this.deadline(), () => connection.run({ sql: 'PRAGMA journal_mode = WAL', parameters: [] }));
      connection.run({ sql: `PRAGMA synchronous = ${this.#options.synchronous}`, parameters: [] });
      connection.run({ sql: 'PRAGMA secure_delete = ON', parameters: [] });
    } catch (error) {
      connection.close();
      throw error;
    }
    const [runtime, place] = [this.#runtime, this.displayName];
    const isIdle = (): boolean => this.#line.length === 0;
    if (this.#options.path !== ':memory:') this.#eraser = new SqliteEraser({ connection, runtime, place, isIdle });
    return (this.#connection = connection);
  }

  /** Serves those who wait, the eldest first, until nobody does. */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let job = this.#line[0]; job; job = this.#line[0]) {
      if (job.attempt()) {
        this.#line.shift();
        continue;
      }
      await this.#pause();
      const now = this.#runtime.monotonic();
      for (const late of this.#line.filter(({ deadline }) => deadline <= now)) {
        this.#line.splice(this.#line.indexOf(late), 1);
        late.reject(busy());
      }
    }
    this.#isServing = false;
  }

  /** The value, or undefined where somebody else holds the lock. */
  #attempt<T>(work: () => T): { value: T } | undefined {
    try {
      return { value: work() };
    } catch (error) {
      const failure = this.#failureOf(error);
      if (isSqlFailure(failure, 'conflict')) return undefined;
      throw failure;
    }
  }

  async #until<T>(deadline: number, work: () => T): Promise<T> {
    for (;;) {
      const done = this.#attempt(work);
      if (done) return done.value;
      if (this.#runtime.monotonic() >= deadline) throw busy();
      await this.#pause();
    }
  }

  // Short, for a lock is held for less than a millisecond as a rule, and uneven, so that processes do not ask in step.
  #pause(): Promise<void> {
    return this.#runtime.sleep(0.5 + this.#runtime.random() * 4);
  }

  #failureOf(error: unknown): unknown {
    if (!isDriverError(error)) return error;
    if (this.#isClosed) return sqlFailure('refused', error);
    return sqlFailure(this.dialect.classifyError(error), error);
  }
}

function busy(): Error {
  return sqlFailure('conflict', new Error('Another process held the lock of the database all the time.'));
}

// node:sqlite's errors carry codes like ERR_SQLITE_ERROR, and ERR_INVALID_STATE once it is closed.
function isDriverError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^(ERR_SQLITE|ERR_INVALID_STATE|E[A-Z]+$)/.test(code);
}
