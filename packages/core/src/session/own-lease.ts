import type { InProcessLeaseManager } from './in-process-lease-manager.ts';
import type { Held, Line } from './lease-line.ts';
import type { Lease, SessionHead } from './lease-manager.ts';

/** A hold that `InProcessLeasing` gave. */
export class OwnLease implements Lease {
  readonly head: SessionHead | undefined;
  readonly #leasing: InProcessLeaseManager;
  readonly #line: Line;
  readonly #held: Held;
  readonly #ttlMs: number;

  constructor(leasing: InProcessLeaseManager, line: Line, held: Held, ttlMs: number) {
    this.#leasing = leasing;
    this.#line = line;
    this.#held = held;
    this.#ttlMs = ttlMs;
    this.head = leasing.headOf(line.key);
  }

  get fence(): string {
    return this.#held.fence;
  }
  get lost(): AbortSignal {
    return this.#held.lost.signal;
  }
  get stop(): AbortSignal {
    return this.#held.stop.signal;
  }

  async renew(): Promise<SessionHead | undefined> {
    this.#leasing.renew(this.#line, this.#held, this.#ttlMs);
    return this.#leasing.headOf(this.#line.key);
  }

  async release(): Promise<void> {
    this.#leasing.release(this.#line, this.#held);
  }
}
