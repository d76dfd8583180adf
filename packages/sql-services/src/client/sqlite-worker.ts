import { Worker } from 'node:worker_threads';
import type { Row, SqlValue } from './sql-database.ts';

/** A statement that the worker thread runs. */
export interface WorkerStatement {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[] | undefined;
  /** True if the transaction fails unless this statement returns a row. */
  readonly mustFind?: boolean | undefined;
}

/** Result of statements in the worker thread. */
export interface WorkerResult {
  /** Rows of the last statement. */
  readonly rows: readonly Row[];
  /** Milliseconds during which the statements had the lock of the file. */
  readonly ms: number;
}

/** Program of the worker thread. A string, because a bundler may not include a separate file. */
const PROGRAM = `
// The main thread shows the warning of node:sqlite.
process.removeAllListeners('warning');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const pauseCell = new Int32Array(new SharedArrayBuffer(4));
let database;
function open() {
  const database = new DatabaseSync(workerData.path, { timeout: workerData.timeoutMs });
  database.exec(workerData.settings);
  return database;
}
function run({ statements, inTransaction }) {
  database ??= open();
  if (inTransaction) database.exec('BEGIN IMMEDIATE');
  const start = performance.now();
  let rows = [];
  for (const { sql, parameters = [], mustFind } of statements) {
    rows = database.prepare(sql).all(...parameters);
    if (mustFind && rows.length === 0) throw new Error('The tables were changed by another connection.');
  }
  if (inTransaction) database.exec('COMMIT');
  return { rows, ms: performance.now() - start };
}
parentPort.on('message', (message) => {
  if (message === 'close') {
    database?.close();
    process.exit();
  }
  try {
    const result = run(message);
    parentPort.postMessage(result);
    // Other connections get the lock between two transactions.
    if (message.inTransaction) Atomics.wait(pauseCell, 0, 0, result.ms);
  } catch ({ code, errcode, message }) {
    if (database?.isTransaction) database.exec('ROLLBACK');
    parentPort.postMessage({ error: { code, errcode, message } });
  }
});`;

/**
 * Settings of the connection. The large cache and the large write-ahead log halve the time of `rewriteTables`. The other
 * settings keep references of views, triggers and foreign keys to a table that is renamed.
 */
const SETTINGS = `PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF;
  PRAGMA legacy_alter_table = ON; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16000`;

/** A connection to a SQLite file in a worker thread, so that the event loop continues during long statements. */
export class SqliteWorker {
  readonly #worker: Worker;
  readonly #exit: Promise<void>;
  #reject: (error: unknown) => void = () => {};
  #resolve: (result: WorkerResult) => void = () => {};

  /** Statements wait at most `timeoutMs` for a lock. */
  constructor(path: string, timeoutMs: number) {
    this.#worker = new Worker(PROGRAM, { eval: true, workerData: { path, timeoutMs, settings: SETTINGS } });
    this.#worker.on('message', (message: WorkerResult | { error: { message: string } }) => {
      if ('error' in message) this.#reject(Object.assign(new Error(message.error.message), message.error));
      else this.#resolve(message);
    });
    this.#worker.on('error', (error) => this.#reject(error));
    this.#exit = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#reject(new Error(`The worker thread ended with exit code ${code}.`));
        resolve();
      });
    });
  }

  /** Runs statements in a transaction. Throws the driver's error. Only one call may run at a time. */
  transact(statements: readonly WorkerStatement[]): Promise<WorkerResult> {
    return this.#run({ statements, inTransaction: true });
  }

  /**
   * Runs `VACUUM` and truncates the write-ahead log. Returns false if the log cannot be truncated because another connection
   * reads.
   */
  async vacuum(): Promise<boolean> {
    await this.#run({ statements: [{ sql: 'VACUUM' }], inTransaction: false });
    return this.truncateLog();
  }

  /** Truncates the write-ahead log. Returns false if this is not possible because another connection reads. */
  async truncateLog(): Promise<boolean> {
    const statements = [{ sql: 'PRAGMA wal_checkpoint(TRUNCATE)' }];
    const { rows } = await this.#run({ statements, inTransaction: false });
    return Number(rows[0]?.['busy']) === 0;
  }

  /** Closes the connection and ends the thread. */
  async close(): Promise<void> {
    this.#worker.postMessage('close');
    await this.#exit;
  }

  #run(message: { statements: readonly WorkerStatement[]; inTransaction: boolean }): Promise<WorkerResult> {
    return new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
      this.#worker.postMessage(message);
    });
  }
}
