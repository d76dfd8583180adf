import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { driverMissing } from './driver-missing.ts';
import type { Statement, StatementResult, Steps } from './sql-database.ts';

const COMMIT: Statement = { sql: 'COMMIT', parameters: [] };
const ROLLBACK: Statement = { sql: 'ROLLBACK', parameters: [] };

/** Maximum number of cached prepared statements. */
const MAX_STATEMENTS = 200;

/** A connection of `node:sqlite`. Its calls are synchronous. */
export class NodeSqlite {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens a file (and creates its folder) or a database in memory. Throws `DRIVER_MISSING` without `node:sqlite`. */
  static async open(p: {
    path: string;
    readOnly: boolean;
    /** Loads an extension into the connection. */
    extend?: ((database: DatabaseSync) => Promise<void>) | undefined;
  }): Promise<NodeSqlite> {
    const { path, readOnly, extend } = p;
    const { DatabaseSync } = await loadSqlite();
    if (path !== ':memory:' && !readOnly) mkdirSync(dirname(path), { recursive: true });
    // A busy timeout would block the event loop. Callers retry after a pause instead.
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
    const { statement, returnsRows } = this.#prepare(sql);
    if (returnsRows) {
      const rows = statement.all(...parameters);
      return { rows, changes: rows.length };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) };
  }

  /** Runs the steps in a transaction that starts with the statement `begin`. */
  runTransaction<T>(steps: () => Steps<T>, begin: string): T {
    this.run({ sql: begin, parameters: [] });
    try {
      const value = this.runSteps(steps());
      this.run(COMMIT);
      return value;
    } catch (error) {
      try {
        this.run(ROLLBACK);
      } catch {
        // SQLite has rolled back already.
      }
      throw error;
    }
  }

  /** Runs the steps without a transaction. */
  runSteps<T>(steps: Steps<T>): T {
    let step = steps.next();
    while (!step.done) {
      let result: StatementResult;
      try {
        result = this.run(step.value);
      } catch (error) {
        step = steps.throw(error);
        continue;
      }
      step = steps.next(result);
    }
    return step.value;
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.delete(this.#statements.keys().next().value!);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

async function loadSqlite() {
  try {
    return await import('node:sqlite');
  } catch (cause) {
    throw driverMissing('node:sqlite', cause);
  }
}
