import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { loadDriver } from './load-driver.ts';
import type { Statement, StatementResult } from './sql-database.ts';

/** How many prepared statements are kept; lists of different lengths make different ones. */
const KEPT_STATEMENTS = 200;

/** One connection of `node:sqlite`; whatever it does is done when the call returns. */
export class NodeSqlite {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; answersRows: boolean }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens a file, whose folder is made, or a database in memory. `DRIVER_MISSING` where there is no `node:sqlite`. */
  static async open(p: {
    path: string;
    readOnly: boolean;
    /** Loads an extension into the connection that was opened. */
    extend?: ((database: DatabaseSync) => Promise<void>) | undefined;
  }): Promise<NodeSqlite> {
    const { path, readOnly, extend } = p;
    const { DatabaseSync } = await loadDriver('node:sqlite', () => import('node:sqlite'));
    if (path !== ':memory:' && !readOnly) mkdirSync(dirname(path), { recursive: true });
    // A busy timeout would stop all timers of the process: who waits for a lock sleeps instead and asks again.
    const database = new DatabaseSync(path, { timeout: 0, readOnly, allowExtension: extend !== undefined });
    try {
      await extend?.(database);
    } catch (error) {
      database.close();
      throw error;
    }
    return new NodeSqlite(database);
  }

  run({ sql, parameters }: Statement): StatementResult {
    const { statement, answersRows } = this.#prepare(sql);
    if (answersRows) {
      const rows = statement.all(...parameters);
      return { rows, changes: rows.length };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) };
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): { statement: StatementSync; answersRows: boolean } {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const made = { statement, answersRows: statement.columns().length > 0 };
    if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.delete(this.#statements.keys().next().value!);
    this.#statements.set(sql, made);
    return made;
  }
}
