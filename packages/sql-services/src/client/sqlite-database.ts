import { resolve as resolvePath } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import { displayNameOfAddress } from './display-name.ts';
import { NodeSqlite } from './node-sqlite.ts';
import { OpenedFile } from './opened-file.ts';
import type { RunOptions, SqlDatabase, Steps } from './sql-database.ts';
import { databaseClosed, isSqlFailure, sqlFailure } from './sql-failure.ts';
import { SqliteEraser } from './sqlite-eraser.ts';

/** Options of `SqliteDatabase`. */
export interface SqliteOptions {
  readonly path: string;
  /** True if nothing is written, not even the settings of the file. */
  readonly readOnly: boolean;
  readonly synchronous: 'NORMAL' | 'FULL';
  readonly dialect: Dialect;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Loads an extension into the new connection. */
  readonly extend?: ((database: DatabaseSync) => Promise<void>) | undefined;
}

/** A transaction that waits for the lock. */
interface WaitingTransaction {
  /** Runs the transaction. Returns false if another process has the lock, true if the promise is settled. */
  attempt(): boolean;
  reject(error: unknown): void;
  readonly deadline: number;
}

/** Time in milliseconds after which a series of calls lets other work of the event loop run. */
const SLICE_MS = 10;

/**
 * SQLite through one connection of `node:sqlite`. All steps of a call run synchronously, so calls of one process never
 * conflict. If another process has the lock, the call pauses and tries again, and the event loop continues. Waiting
 * transactions run in the order of their calls.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect: Dialect;
  readonly displayName: string;
  readonly #options: SqliteOptions;
  readonly #runtime: Runtime;
  readonly #queue: WaitingTransaction[] = [];
  #opening: Promise<NodeSqlite> | undefined;
  #connection: NodeSqlite | undefined;
  #file: OpenedFile | undefined;
  #eraser: SqliteEraser | undefined;
  #isClosed = false;
  #isRunningQueue = false;
  /** Time of the first call since the last turn of the event loop. */
  #sliceStart: number | undefined;

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
    return this.#finish(await this.#retryUntil(deadline, () => connection.runSteps(steps())));
  }

  async snapshot<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    const connection = this.#connection ?? (await this.#open());
    const work = (): T => connection.runTransaction(steps, this.dialect.beginSnapshot);
    return this.#finish(await this.#retryUntil(deadline, work));
  }

  async transact<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    const connection = this.#connection ?? (await this.#open());
    if (this.#queue.length === 0) {
      const result = this.#attempt(() => connection.runTransaction(steps, this.dialect.begin));
      if (result) return this.#finish(result.value);
    }
    return new Promise((resolve, reject) => {
      const attempt = (): boolean => {
        try {
          const result = this.#attempt(() => connection.runTransaction(steps, this.dialect.begin));
          if (result) resolve(result.value);
          return result !== undefined;
        } catch (error) {
          reject(error as Error);
          return true;
        }
      };
      this.#queue.push({ attempt, reject, deadline });
      void this.#runQueue();
    });
  }

  async erase(tablePrefix: string): Promise<void> {
    await this.#eraser?.erase(tablePrefix, () => this.#pause());
  }

  async compact(): Promise<void> {
    if (!this.#connection) await this.#open();
    await this.#eraser?.compact().catch((error: unknown) => {
      throw this.#toFailure(error);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#opening?.catch(() => undefined);
    await this.#eraser?.close();
    connection?.close();
  }

  #open(): Promise<NodeSqlite> {
    if (this.#isClosed) throw databaseClosed();
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<NodeSqlite> {
    const { path, readOnly, synchronous, timeoutMs } = this.#options;
    const connection = await NodeSqlite.open(this.#options).catch((error: unknown) => {
      throw this.#toFailure(error);
    });
    if (path !== ':memory:') {
      const { displayName } = this;
      this.#file = new OpenedFile({ path: resolvePath(path), displayName, runtime: this.#runtime });
    }
    if (readOnly) return (this.#connection = connection);
    try {
      // While the first process changes the mode, the file is locked for other processes.
      const setMode = { sql: 'PRAGMA journal_mode = WAL', parameters: [] };
      await this.#retryUntil(this.deadline(), () => connection.run(setMode));
      connection.run({ sql: `PRAGMA synchronous = ${synchronous}`, parameters: [] });
      // On macOS, other flushes do not reach the disk. These settings have no effect on other systems.
      if (synchronous === 'FULL') connection.run({ sql: 'PRAGMA fullfsync = ON', parameters: [] });
      connection.run({ sql: 'PRAGMA checkpoint_fullfsync = ON', parameters: [] });
      connection.run({ sql: 'PRAGMA secure_delete = ON', parameters: [] });
    } catch (error) {
      connection.close();
      throw error;
    }
    if (path !== ':memory:') {
      this.#eraser = new SqliteEraser({
        connection,
        path: resolvePath(path),
        runtime: this.#runtime,
        timeoutMs,
        displayName: this.displayName,
        isIdle: () => this.#queue.length === 0,
      });
      this.#eraser.resume();
    }
    return (this.#connection = connection);
  }

  /** Returns the result, in a later turn of the event loop if calls have run for `SLICE_MS` since the last turn. */
  async #finish<T>(result: T): Promise<T> {
    if (!this.#runtime.eventLoopTurn) return result;
    const now = this.#runtime.monotonic();
    if (this.#sliceStart === undefined) {
      this.#sliceStart = now;
      void this.#runtime.eventLoopTurn().then(() => (this.#sliceStart = undefined));
    } else if (now - this.#sliceStart >= SLICE_MS) {
      await this.#runtime.eventLoopTurn();
    }
    return result;
  }

  /** Runs the waiting transactions in order until none is left. */
  async #runQueue(): Promise<void> {
    if (this.#isRunningQueue) return;
    this.#isRunningQueue = true;
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      if (next.attempt()) {
        this.#queue.shift();
        continue;
      }
      await this.#pause();
      const now = this.#runtime.monotonic();
      for (const late of this.#queue.filter(({ deadline }) => deadline <= now)) {
        this.#queue.splice(this.#queue.indexOf(late), 1);
        late.reject(lockTimeout());
      }
    }
    this.#isRunningQueue = false;
  }

  /** Returns the value of the work, or undefined if another connection has the lock. */
  #attempt<T>(work: () => T): { value: T } | undefined {
    try {
      this.#file?.assertUnchanged();
      return { value: work() };
    } catch (error) {
      const failure = this.#toFailure(error);
      if (isSqlFailure(failure, 'conflict')) return undefined;
      throw failure;
    }
  }

  async #retryUntil<T>(deadline: number, work: () => T): Promise<T> {
    for (;;) {
      const result = this.#attempt(work);
      if (result) return result.value;
      if (this.#runtime.monotonic() >= deadline) throw lockTimeout();
      await this.#pause();
    }
  }

  // Short, because a lock usually lasts less than a millisecond. Random, so that processes do not retry at the same time.
  #pause(): Promise<void> {
    return this.#runtime.sleep(0.5 + this.#runtime.random() * 4);
  }

  #toFailure(error: unknown): unknown {
    if (!isDriverError(error)) return error;
    if (this.#isClosed) return databaseClosed();
    return sqlFailure(this.dialect.classifyError(error), error);
  }
}

function lockTimeout(): Error {
  return sqlFailure('conflict', new Error('Another connection had the lock of the file until the time limit.'));
}

// Codes of node:sqlite, such as ERR_SQLITE_ERROR, and of files. ERR_INVALID_STATE means that the connection is closed.
function isDriverError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^(ERR_SQLITE|ERR_INVALID_STATE|E[A-Z]+$)/.test(code);
}
