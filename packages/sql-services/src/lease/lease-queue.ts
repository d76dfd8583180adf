import type { Fence } from '@thole/core';
import type { SqlValue, Statement, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';

/** A run that waits for a session. */
export interface WaitingRun {
  readonly ticket: number;
  readonly fence: Fence;
  /** True if it waits with the policy `interrupt`. */
  readonly interrupts: boolean;
}

/** Values of the column `place`. An overtaken run keeps its row, so that its next request gets the answer `overtaken`. */
const [QUEUED, INTERRUPTING, OVERTAKEN] = [0, 1, 2];

/** The queues of waiting runs, one per session, for all processes. The steps run in the transaction that reads the lease. */
export class LeaseQueue {
  readonly #dialect: Dialect;
  readonly #table: string;
  readonly #placeMs: number;

  /**
   * `placeMs`: time in milliseconds after which the place of a run that does not ask again is removed. Its process has
   * probably died.
   */
  constructor(dialect: Dialect, tables: TableNames, { placeMs }: { placeMs: number }) {
    this.#dialect = dialect;
    this.#table = tables.leaseWaiters;
    this.#placeMs = placeMs;
  }

  /** Reads the queue in order, the interrupting run first. Removes expired places. */
  *read(key: readonly SqlValue[], now: number): Steps<{ waiting: WaitingRun[]; overtaken: readonly Fence[] }> {
    const sql = `SELECT ticket, fence, place, expires_at FROM ${this.#table}
      WHERE app_name = ? AND user_id = ? AND session_id = ?`;
    const { rows } = yield this.#statement(sql, key);
    const waiting: WaitingRun[] = [];
    const overtaken: Fence[] = [];
    for (const row of rows) {
      const [ticket, place, fence] = [Number(row['ticket']), Number(row['place']), columnText(row['fence'])];
      if (Number(row['expires_at']) <= now) yield* this.#remove(ticket);
      else if (place === OVERTAKEN) overtaken.push(fence);
      else waiting.push({ ticket, fence, interrupts: place === INTERRUPTING });
    }
    waiting.sort((a, b) => Number(b.interrupts) - Number(a.interrupts) || a.ticket - b.ticket);
    return { waiting, overtaken };
  }

  /** Adds a run at the end of the queue, or before all others if it interrupts. */
  *enter(key: readonly SqlValue[], run: { fence: Fence; interrupts: boolean }, now: number): Steps<void> {
    const columns = 'app_name, user_id, session_id, fence, place, expires_at';
    const place = run.interrupts ? INTERRUPTING : QUEUED;
    const parameters = [...key, run.fence, place, this.#expiry(now)];
    yield this.#statement(`INSERT INTO ${this.#table} (${columns}) VALUES (?, ?, ?, ?, ?, ?)`, parameters);
  }

  /** Keeps the place of a run that asks again. */
  *keep({ ticket }: WaitingRun, now: number): Steps<void> {
    yield this.#statement(`UPDATE ${this.#table} SET expires_at = ? WHERE ticket = ?`, [this.#expiry(now), ticket]);
  }

  /** Removes a run from the queue because another run interrupts. */
  *overtake({ ticket }: WaitingRun): Steps<void> {
    yield this.#statement(`UPDATE ${this.#table} SET place = ? WHERE ticket = ?`, [OVERTAKEN, ticket]);
  }

  /** Removes the place with this fence. */
  *leave(key: readonly SqlValue[], fence: Fence): Steps<void> {
    const sql = `DELETE FROM ${this.#table} WHERE app_name = ? AND user_id = ? AND session_id = ? AND fence = ?`;
    yield this.#statement(sql, [...key, fence]);
  }

  *#remove(ticket: number): Steps<void> {
    yield this.#statement(`DELETE FROM ${this.#table} WHERE ticket = ?`, [ticket]);
  }

  #expiry(now: number): number {
    return now + this.#placeMs / 1000;
  }

  #statement(sql: string, parameters: readonly SqlValue[]): Statement {
    return { sql: this.#dialect.statement(sql), parameters };
  }
}
