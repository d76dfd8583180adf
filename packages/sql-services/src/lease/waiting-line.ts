import type { SqlValue, Statement, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';

/** A place in line whose owner was not heard of for so long is free again: its process has died. */
const PLACE_HOLDS_S = 15;

/** Values of `goes_first`: in line, before all others, and out of it because a newer run interrupts. */
const [QUEUED, FIRST, OVERTAKEN] = [0, 1, 2];

/** The line before a session. */
export interface ReadLine {
  /** In the order of their turn: who interrupts, then in the order of coming. */
  readonly tickets: readonly number[];
  readonly interrupting: readonly number[];
  readonly overtaken: readonly number[];
}

/** The line before a session, of all processes. Its statements belong into the transaction that looks at the lease. */
export class WaitingLine {
  readonly #dialect: Dialect;
  readonly #table: string;

  constructor(dialect: Dialect, tables: TableNames) {
    this.#dialect = dialect;
    this.#table = tables.leaseWaiters;
  }

  /** Reads the line, without those that were not heard of for long. */
  *read(key: readonly SqlValue[], now: number): Steps<ReadLine> {
    const sql = `SELECT ticket, goes_first, expires_at FROM ${this.#table}
      WHERE app_name = ? AND user_id = ? AND session_id = ?`;
    const { rows } = yield this.#statement(sql, key);
    const gone = rows.filter((row) => Number(row['expires_at']) <= now);
    for (const row of gone) yield* this.leave(Number(row['ticket']));
    const tickets = (place: number): number[] =>
      rows
        .filter((row) => !gone.includes(row) && Number(row['goes_first']) === place)
        .map((row) => Number(row['ticket']))
        .sort((a, b) => a - b);
    const interrupting = tickets(FIRST);
    return { tickets: [...interrupting, ...tickets(QUEUED)], interrupting, overtaken: tickets(OVERTAKEN) };
  }

  /** Takes the place of one that interrupts; its row tells it so when it asks again. */
  *overtake(ticket: number): Steps<void> {
    yield this.#statement(`UPDATE ${this.#table} SET goes_first = ? WHERE ticket = ?`, [OVERTAKEN, ticket]);
  }

  /** Enters the line; the ticket. */
  *enter(key: readonly SqlValue[], p: { goesFirst: boolean; now: number }): Steps<number> {
    const sql = `INSERT INTO ${this.#table} (app_name, user_id, session_id, goes_first, expires_at)
      VALUES (?, ?, ?, ?, ?)${this.#dialect.returning('ticket')}`;
    const { rows, insertId } = yield this.#statement(sql, [
      ...key,
      p.goesFirst ? FIRST : QUEUED,
      p.now + PLACE_HOLDS_S,
    ]);
    return Number(rows[0]?.['ticket'] ?? insertId);
  }

  /** Is heard of, and so keeps the place. */
  *stay(ticket: number, now: number): Steps<void> {
    yield this.#statement(`UPDATE ${this.#table} SET expires_at = ? WHERE ticket = ?`, [now + PLACE_HOLDS_S, ticket]);
  }

  *leave(ticket: number): Steps<void> {
    yield this.#statement(`DELETE FROM ${this.#table} WHERE ticket = ?`, [ticket]);
  }

  #statement(sql: string, parameters: readonly SqlValue[]): Statement {
    return { sql: this.#dialect.statement(sql), parameters };
  }
}
