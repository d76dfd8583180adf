import { rmSync } from 'node:fs';
import type { Runtime } from '@thole/core';
import { NodeSqlite } from './node-sqlite.ts';
import { FIND_TEMPORARY, markRewriteDue, parseTemporaryPrefix, rewriteTables } from './rewrite-tables.ts';
import type { Transact } from './rewrite-tables.ts';
import type { Row, SqlValue } from './sql-database.ts';
import { SqliteWorker } from './sqlite-worker.ts';

/** Attempts before a call returns although the write-ahead log is not cleared, and milliseconds between later attempts. */
const [ATTEMPTS, RETRY_MS] = [20, 1_000];
/** Milliseconds from a deletion to a rewrite in the background, so that one rewrite serves several deletions. */
const REWRITE_DELAY_MS = 1_000;
/** Minimum pause between two rewrites in the background, as a multiple of the duration of the first one. */
const PAUSE_FACTOR = 20;
/** Milliseconds until a failed rewrite is repeated. */
const FAILURE_PAUSE_MS = 60_000;

const MIB = 1024 * 1024;
/**
 * Maximum sizes in bytes of a database that VACUUM rewrites within the call (it blocks the event loop for about 7 ms per MiB)
 * and in the background (other writes wait for it). The tables of a larger database are rewritten in short transactions.
 */
const SIZE_LIMITS: SizeLimits = { inCall: 4 * MIB, inBackground: 512 * MIB };

interface SizeLimits {
  readonly inCall: number;
  readonly inBackground: number;
}

/** Options of `SqliteEraser`. */
export interface SqliteEraserOptions {
  readonly connection: NodeSqlite;
  /** Absolute path of the file. */
  readonly path: string;
  readonly runtime: Runtime;
  /** Maximum milliseconds to wait for a lock. */
  readonly timeoutMs: number;
  /** Name of the database for logs. */
  readonly displayName: string;
  /** True if no call waits for a lock. */
  readonly isIdle: () => boolean;
  readonly sizeLimits?: SizeLimits | undefined;
}

/**
 * Removes deleted text from a SQLite file and its write-ahead log. `secure_delete` overwrites deleted rows, but not the copies
 * that SQLite left in unused space of pages when it moved rows. VACUUM rewrites the file without them. In large files, and in
 * files with tables of other software, `rewriteTables` does this. The log contains old pages until a checkpoint truncates it,
 * which is possible only while no other connection reads.
 */
export class SqliteEraser {
  readonly #options: SqliteEraserOptions;
  readonly #connection: NodeSqlite;
  readonly #runtime: Runtime;
  #isRewriteInCallDue = false;
  #isLogPending = false;
  #cancelRetry: (() => void) | undefined;
  #isRewriteDue = false;
  /** Prefix of the tables that are rewritten instead of the whole file. */
  #dueTables: string | undefined;
  /** True if the file does not yet contain the mark that makes the rewrite due for other processes. */
  #isUnmarked = false;
  #isClosing = false;
  #cancelRewrite: (() => void) | undefined;
  #rewriting: Promise<void> | undefined;
  #earliestRewriteAt = 0;

  constructor(options: SqliteEraserOptions) {
    this.#options = options;
    this.#connection = options.connection;
    this.#runtime = options.runtime;
  }

  /** Removes text that was deleted from tables with this prefix: now, or later in the background. Never throws. */
  async erase(tablePrefix: string, pause: () => Promise<void>): Promise<void> {
    this.#chooseRewrite(tablePrefix);
    for (let i = 0; i < ATTEMPTS; i++) {
      if (this.#clear()) return;
      await pause();
    }
    this.#clearLogLater();
  }

  /** Continues, in the background, a rewrite of tables that an ended process did not complete. Never throws. */
  resume(): void {
    try {
      const { rows } = this.#connection.run({ sql: FIND_TEMPORARY, parameters: [] });
      const prefix = rows.map(({ name }) => parseTemporaryPrefix(String(name))).find((found) => found !== undefined);
      if (prefix === undefined) return;
      this.#dueTables = prefix;
      this.#rewriteLater();
    } catch {
      // The file cannot be read now. The next deletion or the next process continues.
    }
  }

  /** Rewrites the file of any size in a worker thread. Throws the driver's error. */
  async compact(): Promise<void> {
    await this.#rewriting;
    this.#cancelRewriteTimer();
    this.#isRewriteDue = false;
    await this.#rewriteFile();
    if (this.#dueTables !== undefined) this.#rewriteLater();
  }

  /** Completes a due rewrite. Leaves the rewrite of a large file, which takes long, to the next process. Never throws. */
  async close(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRewriteTimer();
    this.#isClosing = this.#isLarge();
    await this.#rewriting;
    if (this.#isRewriteDue && !this.#isClosing) await this.#tryRewrite();
    this.#cancelRetry?.();
    if (this.#isLogPending) this.#clear();
  }

  #chooseRewrite(tablePrefix: string): void {
    const { inCall, inBackground } = this.#options.sizeLimits ?? SIZE_LIMITS;
    try {
      const bytes = this.#usedBytes();
      // VACUUM changes implicit row ids, which other software may store.
      if (bytes > inBackground || this.#hasOtherTables(tablePrefix)) {
        this.#dueTables = tablePrefix;
        this.#isUnmarked = true;
        this.#rewriteLater();
        this.#query(markRewriteDue(tablePrefix));
        this.#isUnmarked = false;
      } else if (bytes <= inCall) this.#isRewriteInCallDue = true;
      else this.#rewriteLater();
    } catch {
      // The file cannot be read or written now. A rewrite in the background repeats the attempt.
      this.#rewriteLater();
    }
  }

  /** Rewrites a small file and truncates the log. Returns true if nothing is left to clear. */
  #clear(): boolean {
    if (!this.#connection.isOpen) return true;
    try {
      if (this.#isRewriteInCallDue) this.#query('VACUUM');
      this.#isRewriteInCallDue = false;
      if (Number(this.#query('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy']) !== 0) return false;
    } catch {
      // Another connection has the write lock.
      return false;
    }
    if (this.#isLogPending) this.#log('info', 'The write-ahead log was cleared.');
    this.#isLogPending = false;
    return true;
  }

  #clearLogLater(): void {
    if (this.#isLogPending || !this.#connection.isOpen) return;
    this.#isLogPending = true;
    this.#log(
      'warn',
      'Deleted text is still in the write-ahead log, because another connection reads the database. The log will be cleared later.',
    );
    this.#retryClear();
  }

  #retryClear(): void {
    this.#cancelRetry = this.#runtime.timer(RETRY_MS, () => {
      if (!this.#connection.isOpen || !this.#isLogPending) return;
      if (!this.#options.isIdle() || !this.#clear()) this.#retryClear();
    });
  }

  #rewriteLater(): void {
    this.#isRewriteDue = true;
    if (this.#rewriting || this.#cancelRewrite) return;
    const delayMs = Math.max(REWRITE_DELAY_MS, this.#earliestRewriteAt - this.#runtime.monotonic());
    this.#cancelRewrite = this.#runtime.timer(delayMs, () => {
      this.#cancelRewrite = undefined;
      if (!this.#connection.isOpen) return;
      if (!this.#options.isIdle()) return this.#rewriteLater();
      void this.#tryRewrite().then(() => {
        if (this.#isRewriteDue && this.#connection.isOpen) this.#rewriteLater();
      });
    });
  }

  #tryRewrite(): Promise<void> {
    this.#isRewriteDue = false;
    const startedAt = this.#runtime.monotonic();
    const tables = this.#dueTables;
    const rewriting = (tables === undefined ? this.#rewriteFile() : this.#rewriteTables(tables)).then(
      (isRewritten) => {
        const endedAt = this.#runtime.monotonic();
        if (!isRewritten) return;
        this.#earliestRewriteAt = endedAt + PAUSE_FACTOR * (endedAt - startedAt);
        const subject = tables === undefined ? 'The file was' : `The tables with the prefix "${tables}" were`;
        this.#log('info', `${subject} rewritten without deleted text.`);
      },
      (error: unknown) => {
        this.#isRewriteDue = true;
        this.#dueTables ??= tables;
        if (this.#isClosing) return;
        this.#earliestRewriteAt = this.#runtime.monotonic() + FAILURE_PAUSE_MS;
        const subject = tables === undefined ? 'The file' : `The tables with the prefix "${tables}"`;
        this.#log('warn', `${subject} could not be rewritten. Unused space may contain deleted text.`, {
          error: String(error),
        });
      },
    );
    this.#rewriting = rewriting.finally(() => (this.#rewriting = undefined));
    return this.#rewriting;
  }

  #rewriteFile(): Promise<true> {
    return this.#inWorker((worker) => worker.vacuum());
  }

  /** Rewrites tables. Returns false if another connection rewrites them. This connection then tries again later. */
  async #rewriteTables(tablePrefix: string): Promise<boolean> {
    const path = `${this.#options.path}-erasing`;
    const lock = await NodeSqlite.open({ path, readOnly: false });
    try {
      // The operating system releases this lock if the process ends.
      lock.run({ sql: 'BEGIN EXCLUSIVE', parameters: [] });
    } catch {
      lock.close();
      this.#isRewriteDue = true;
      return false;
    }
    this.#dueTables = undefined;
    const id = Math.floor(this.#runtime.random() * 36 ** 8).toString(36);
    try {
      return await this.#inWorker(async (worker) => {
        const transact: Transact = (statements) => {
          if (this.#isClosing) throw new Error('The database was closed.');
          return worker.transact(statements);
        };
        if (this.#isUnmarked) await transact([{ sql: markRewriteDue(tablePrefix) }]);
        this.#isUnmarked = false;
        await rewriteTables(transact, tablePrefix, id.padStart(8, '0'));
        return worker.truncateLog();
      });
    } finally {
      lock.close();
      removeFile(path);
    }
  }

  /** Runs work in a worker thread. Clears the write-ahead log later if the work returns false. */
  async #inWorker(work: (worker: SqliteWorker) => Promise<boolean>): Promise<true> {
    const { path, timeoutMs } = this.#options;
    const worker = new SqliteWorker(path, timeoutMs);
    try {
      if (!(await work(worker))) this.#clearLogLater();
      return true;
    } finally {
      await worker.close();
    }
  }

  #cancelRewriteTimer(): void {
    this.#cancelRewrite?.();
    this.#cancelRewrite = undefined;
  }

  #isLarge(): boolean {
    try {
      return this.#usedBytes() > (this.#options.sizeLimits ?? SIZE_LIMITS).inBackground;
    } catch {
      return false;
    }
  }

  #hasOtherTables(tablePrefix: string): boolean {
    const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'
      AND substr(name, 1, ?) <> ? LIMIT 1`;
    return this.#query(sql, [tablePrefix.length, tablePrefix]) !== undefined;
  }

  #usedBytes(): number {
    const [pages, freePages, pageSize] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(this.#query(`PRAGMA ${name}`)?.[name]),
    );
    return (pages! - freePages!) * pageSize!;
  }

  #log(level: 'info' | 'warn', message: string, fields: { [name: string]: string } = {}): void {
    this.#runtime.logger[level](message, { database: this.#options.displayName, ...fields });
  }

  #query(sql: string, parameters: readonly SqlValue[] = []): Row | undefined {
    return this.#connection.run({ sql, parameters }).rows[0];
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // On Windows, the file cannot be deleted while another connection tries to lock it. The next rewrite deletes it.
  }
}
