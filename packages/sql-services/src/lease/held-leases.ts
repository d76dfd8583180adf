import type { CancelTimer, Runtime } from '@thole/core';
import type { Row } from '../client/sql-database.ts';
import { columnText, textOrNothing } from '../session/row-values.ts';
import { decodeName } from './lease-steps.ts';
import type { SqlLease } from './sql-lease.ts';

/** How many leases are asked for in one statement. */
const AT_ONCE = 100;

/**
 * The leases that this process holds. While there is one, the database is asked now and then, for all of them together,
 * whether somebody wants a run to stop or has taken its lease over.
 */
export class HeldLeases {
  readonly #leases = new Map<string, SqlLease>();
  readonly #runtime: Runtime;
  readonly #pollMs: number;
  readonly #poll: (fences: readonly string[]) => Promise<readonly Row[]>;
  #timer: CancelTimer | undefined;
  #isAsking = false;

  constructor(runtime: Runtime, pollMs: number, poll: (fences: readonly string[]) => Promise<readonly Row[]>) {
    this.#runtime = runtime;
    this.#pollMs = pollMs;
    this.#poll = poll;
  }

  add(lease: SqlLease): void {
    this.#leases.set(lease.fence, lease);
    this.#schedule();
  }

  get(fence: string): SqlLease | undefined {
    return this.#leases.get(fence);
  }

  remove(lease: SqlLease): void {
    this.#leases.delete(lease.fence);
    if (this.#leases.size > 0) return;
    this.#timer?.();
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#timer || this.#isAsking || this.#leases.size === 0) return;
    this.#timer = this.#runtime.timer(this.#pollMs * (0.75 + this.#runtime.random() / 2), () => {
      this.#timer = undefined;
      void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    const fences = [...this.#leases.keys()];
    for (let from = 0; from < fences.length; from += AT_ONCE) {
      const some = fences.slice(from, from + AT_ONCE);
      try {
        this.#tell(some, await this.#poll(some));
      } catch (error) {
        // Whoever holds a lease hears it by its next append or renewal; the next round may find the database again.
        this.#runtime.logger.warn('The database could not be asked for leases.', { error: String(error) });
      }
    }
    this.#isAsking = false;
    this.#schedule();
  }

  #tell(fences: readonly string[], rows: readonly Row[]): void {
    const found = new Map(rows.map((row) => [columnText(row['fence']), row]));
    for (const fence of fences) {
      const lease = this.#leases.get(fence);
      const row = found.get(fence);
      if (!lease) continue;
      // One that ran out holds until another run takes it.
      if (!row) {
        this.remove(lease);
        lease.tellLost();
      } else if (row['stop_code'] !== null) {
        const by = textOrNothing(row['stopped_by']);
        lease.tellStop(by === undefined ? undefined : decodeName(by));
      }
    }
  }
}
