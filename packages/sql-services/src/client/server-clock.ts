import type { Runtime } from '@thole/core';
import { query } from './sql-database.ts';
import { withDeadline } from './with-deadline.ts';
import { sqlFailure, mapSqlError } from './sql-failure.ts';
import type { SqlDatabase } from './sql-database.ts';

/** How long a measured distance is believed. */
const BELIEVED_MS = 600_000;
/** A step of this machine's own clock that has it measured anew. */
const STEP_MS = 1_000;

/**
 * The database's time, by which the leases of several processes run out: the runtime's clock and its distance from the
 * database's, which is measured at first use, every ten minutes, and when the own clock was set or stood still. What is
 * decided by it needs no exactness: the fence alone says who may write.
 */
export class ServerClock {
  readonly #database: SqlDatabase;
  readonly #runtime: Runtime;
  #distance: number;
  #measuredAt: number | undefined;
  #wallAtMeasuring = 0;
  #measuring: Promise<void> | undefined;

  constructor(database: SqlDatabase, runtime: Runtime) {
    this.#database = database;
    this.#runtime = runtime;
    this.#distance = 0;
  }

  /** Seconds since the epoch; at once where they are known, and otherwise before the deadline. */
  now(deadline: number = this.#database.deadline()): number | Promise<number> {
    const { clockSql } = this.#database.dialect;
    if (clockSql === undefined || this.#isBelieved()) return this.#runtime.now() + this.#distance;
    this.#measuring ??= this.#measure(clockSql).finally(() => (this.#measuring = undefined));
    return withDeadline(this.#runtime, deadline, this.#measuring, () =>
      mapSqlError(sqlFailure('connection', new Error('It did not tell the time.')), this.#database.displayName),
    ).then(() => this.#runtime.now() + this.#distance);
  }

  /** An instant of the database in this machine's time, to the millisecond. */
  toLocal(instant: number): number {
    return Math.round((instant - this.#distance) * 1000) / 1000;
  }

  #isBelieved(): boolean {
    if (this.#measuredAt === undefined) return false;
    const passed = this.#runtime.monotonic() - this.#measuredAt;
    const wallPassed = (this.#runtime.now() - this.#wallAtMeasuring) * 1000;
    return passed < BELIEVED_MS && Math.abs(passed - wallPassed) < STEP_MS;
  }

  async #measure(sql: string): Promise<void> {
    const before = this.#runtime.now();
    const { rows } = await this.#database
      .run(() => query(sql), { writes: false })
      .catch((error: unknown) => {
        throw mapSqlError(error, this.#database.displayName);
      });
    const after = this.#runtime.now();
    this.#distance = Math.round((Number(rows[0]!['now']) - (before + after) / 2) * 1000) / 1000;
    this.#measuredAt = this.#runtime.monotonic();
    this.#wallAtMeasuring = after;
  }
}
