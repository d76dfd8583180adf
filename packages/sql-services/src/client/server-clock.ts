import type { Runtime } from '@thole/core';
import { mapSqlError } from './map-sql-error.ts';
import { query } from './sql-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { sqlFailure } from './sql-failure.ts';
import { withDeadline } from './with-deadline.ts';

/** Age in milliseconds from which a measurement is repeated. */
const MAX_AGE_MS = 600_000;
/** Difference in milliseconds between the two local clocks from which a measurement is repeated. */
const MAX_CLOCK_STEP_MS = 1_000;

/**
 * The time of the database, by which leases expire: the runtime's clock plus its measured offset. The offset is measured at
 * the first use, every ten minutes, and after the local clock was set or stopped. It need not be exact: the fence decides
 * which run may write.
 */
export class ServerClock {
  readonly #database: SqlDatabase;
  readonly #runtime: Runtime;
  #offset = 0;
  #measuredAt: number | undefined;
  #wallTimeAtMeasuring = 0;
  #measuring: Promise<void> | undefined;

  constructor(database: SqlDatabase, runtime: Runtime) {
    this.#database = database;
    this.#runtime = runtime;
  }

  /** Returns seconds since the epoch: directly if the offset is known, otherwise as a promise that ends at the deadline. */
  now(deadline: number = this.#database.deadline()): number | Promise<number> {
    const { clockSql } = this.#database.dialect;
    if (clockSql === undefined || this.#isCurrent()) return this.#runtime.now() + this.#offset;
    this.#measuring ??= this.#measure(clockSql).finally(() => (this.#measuring = undefined));
    return withDeadline(this.#runtime, deadline, this.#measuring, () =>
      mapSqlError(sqlFailure('connection', new Error('It did not return its time.')), this.#database.displayName),
    ).then(() => this.#runtime.now() + this.#offset);
  }

  /** Converts a time of the database to the time of this machine, rounded to milliseconds. */
  toLocal(time: number): number {
    return Math.round((time - this.#offset) * 1000) / 1000;
  }

  #isCurrent(): boolean {
    if (this.#measuredAt === undefined) return false;
    const passedMs = this.#runtime.monotonic() - this.#measuredAt;
    const wallPassedMs = (this.#runtime.now() - this.#wallTimeAtMeasuring) * 1000;
    return passedMs < MAX_AGE_MS && Math.abs(passedMs - wallPassedMs) < MAX_CLOCK_STEP_MS;
  }

  async #measure(sql: string): Promise<void> {
    const before = this.#runtime.now();
    const { rows } = await this.#database
      .run(() => query(sql), { writes: false })
      .catch((error: unknown) => {
        throw mapSqlError(error, this.#database.displayName);
      });
    const after = this.#runtime.now();
    this.#offset = Math.round((Number(rows[0]!['now']) - (before + after) / 2) * 1000) / 1000;
    this.#measuredAt = this.#runtime.monotonic();
    this.#wallTimeAtMeasuring = after;
  }
}
