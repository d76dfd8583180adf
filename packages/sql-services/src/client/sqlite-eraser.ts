import type { Runtime } from '@thole/core';
import type { NodeSqlite } from './node-sqlite.ts';
import type { Row, SqlValue } from './sql-database.ts';

/** Attempts before a call returns with the write-ahead log not cleared, and the pause between later attempts. */
const [ATTEMPTS, RETRY_MS] = [20, 1_000];
/** Size of the largest database that is rewritten after a deletion: VACUUM blocks the event loop for about 7 ms per MB. */
const VACUUM_BYTES = 4 * 1024 * 1024;

/**
 * Removes deleted text from a SQLite file and its write-ahead log. `secure_delete` overwrites deleted rows, but it leaves copies
 * that SQLite made in the unused space of pages when it moved rows: VACUUM removes these. The log keeps old pages until a
 * checkpoint truncates it, which is possible only while no other connection reads.
 */
export class SqliteEraser {
  readonly #connection: NodeSqlite;
  readonly #runtime: Runtime;
  readonly #place: string;
  readonly #isIdle: () => boolean;
  #toRewrite: string | undefined;
  #isPending = false;
  #cancel: (() => void) | undefined;

  constructor(p: { connection: NodeSqlite; runtime: Runtime; place: string; isIdle: () => boolean }) {
    this.#connection = p.connection;
    this.#runtime = p.runtime;
    this.#place = p.place;
    this.#isIdle = p.isIdle;
  }

  /** Clears what was deleted from tables with this prefix, now or, while others read the file, later. Never throws. */
  async erase(tablePrefix: string, pause: () => Promise<void>): Promise<void> {
    this.#toRewrite = tablePrefix;
    for (let i = 0; i < ATTEMPTS; i++) {
      if (this.#attempt()) return;
      await pause();
    }
    if (this.#isPending || !this.#connection.isOpen) return;
    this.#isPending = true;
    this.#runtime.logger.warn(
      'Deleted text is still in the write-ahead log, because another connection reads the database. The log will be cleared later.',
      { database: this.#place },
    );
    this.#retry();
  }

  /** Makes a last attempt if one is due. */
  close(): void {
    this.#cancel?.();
    if (this.#isPending) this.#attempt();
  }

  #retry(): void {
    this.#cancel = this.#runtime.timer(RETRY_MS, () => {
      if (!this.#connection.isOpen || !this.#isPending) return;
      if (!this.#isIdle() || !this.#attempt()) this.#retry();
    });
  }

  /** Returns true if nothing is left to clear. */
  #attempt(): boolean {
    if (!this.#connection.isOpen) return true;
    try {
      if (this.#toRewrite !== undefined && this.#mayRewrite(this.#toRewrite)) this.#run('VACUUM');
      this.#toRewrite = undefined;
      if (Number(this.#run('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy']) !== 0) return false;
    } catch {
      // Another connection holds the write lock.
      return false;
    }
    if (this.#isPending) this.#runtime.logger.info('The write-ahead log was cleared.', { database: this.#place });
    this.#isPending = false;
    return true;
  }

  // VACUUM changes implicit row ids, which tables of others may rely on.
  #mayRewrite(tablePrefix: string): boolean {
    const others = `SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'
      AND substr(name, 1, ?) <> ? LIMIT 1`;
    if (this.#run(others, [tablePrefix.length, tablePrefix])) return false;
    const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(this.#run(`PRAGMA ${name}`)?.[name]),
    );
    return (pages! - free!) * size! <= VACUUM_BYTES;
  }

  #run(sql: string, parameters: readonly SqlValue[] = []): Row | undefined {
    return this.#connection.run({ sql, parameters }).rows[0];
  }
}
