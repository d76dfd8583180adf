import type { Runtime } from '@thole/core';
import type { NodeSqlite } from './node-sqlite.ts';
import { rewriteSqliteFile } from './rewrite-sqlite-file.ts';
import type { Row, SqlValue } from './sql-database.ts';

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
 * Maximum sizes in bytes of a database that is rewritten within the call (VACUUM blocks the event loop for about 7 ms per MiB)
 * and in the background (VACUUM needs as much free disk space again, and other writes wait for it).
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
 * that SQLite left in unused space of pages when it moved rows. VACUUM rewrites the file without them. The log contains old
 * pages until a checkpoint truncates it, which is possible only while no other connection reads.
 */
export class SqliteEraser {
  readonly #options: SqliteEraserOptions;
  readonly #connection: NodeSqlite;
  readonly #runtime: Runtime;
  #isRewriteInCallDue = false;
  #isLogPending = false;
  #cancelRetry: (() => void) | undefined;
  #isRewriteDue = false;
  #cancelRewrite: (() => void) | undefined;
  #rewriting: Promise<void> | undefined;
  #earliestRewriteAt = 0;
  #hasReportedCopies = false;

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

  /** Rewrites the file of any size in a worker thread. Throws the driver's error. */
  async compact(): Promise<void> {
    await this.#rewriting;
    this.#cancelRewriteTimer();
    this.#isRewriteDue = false;
    await this.#rewrite();
  }

  /** Does what is still due. Never throws. */
  async close(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRewriteTimer();
    await this.#rewriting;
    if (this.#isRewriteDue) await this.#tryRewrite();
    this.#cancelRetry?.();
    if (this.#isLogPending) this.#clear();
  }

  #chooseRewrite(tablePrefix: string): void {
    const { inCall, inBackground } = this.#options.sizeLimits ?? SIZE_LIMITS;
    try {
      const bytes = this.#usedBytes();
      // VACUUM changes implicit row ids, which other software may store.
      const hasOtherTables = this.#hasOtherTables(tablePrefix);
      if (bytes > inBackground || hasOtherTables) this.#reportCopies();
      else if (bytes <= inCall) this.#isRewriteInCallDue = true;
      else this.#rewriteLater();
    } catch {
      // The file cannot be read now. A rewrite in the background repeats the attempt.
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
    const rewriting = this.#rewrite().then(
      () => {
        const endedAt = this.#runtime.monotonic();
        this.#earliestRewriteAt = endedAt + PAUSE_FACTOR * (endedAt - startedAt);
        this.#log('info', 'The file was rewritten without deleted text.');
      },
      (error: unknown) => {
        this.#isRewriteDue = true;
        this.#earliestRewriteAt = this.#runtime.monotonic() + FAILURE_PAUSE_MS;
        const message = 'The file could not be rewritten. Unused space may contain deleted text.';
        this.#log('warn', message, { error: String(error) });
      },
    );
    this.#rewriting = rewriting.finally(() => (this.#rewriting = undefined));
    return this.#rewriting;
  }

  async #rewrite(): Promise<void> {
    const { path, timeoutMs } = this.#options;
    const { isLogCleared } = await rewriteSqliteFile(path, timeoutMs);
    if (!isLogCleared) this.#clearLogLater();
  }

  #cancelRewriteTimer(): void {
    this.#cancelRewrite?.();
    this.#cancelRewrite = undefined;
  }

  #reportCopies(): void {
    if (this.#hasReportedCopies) return;
    this.#hasReportedCopies = true;
    const message = 'Unused space of the file may contain deleted text. Call compact() to remove it.';
    this.#log('info', message);
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
