import type { CancelTimer, Runtime } from '../runtime/runtime.ts';
import type { Fence } from './lease-manager.ts';
import type { LeaseState, LeaseStore } from './lease-store.ts';
import type { StoredLease } from './stored-lease.ts';

/** Maximum number of leases in one `poll`. */
const BATCH = 100;

/**
 * The leases that this process holds. While there are any, polls the store for stop requests and lost leases. An interval
 * of `Infinity` never polls: for a store that only this process uses.
 */
export class HeldLeases {
  readonly #leases = new Map<Fence, StoredLease>();
  readonly #store: LeaseStore;
  readonly #runtime: Runtime;
  readonly #pollMs: number;
  readonly #onLost: (lease: StoredLease) => void;
  #timer: CancelTimer | undefined;
  #isPolling = false;

  constructor(store: LeaseStore, runtime: Runtime, p: { pollMs: number; onLost: (lease: StoredLease) => void }) {
    this.#store = store;
    this.#runtime = runtime;
    this.#pollMs = p.pollMs;
    this.#onLost = p.onLost;
  }

  add(lease: StoredLease): void {
    this.#leases.set(lease.fence, lease);
    if (this.#pollMs !== Infinity) this.#schedule();
  }

  get(fence: Fence): StoredLease | undefined {
    return this.#leases.get(fence);
  }

  remove(lease: StoredLease): void {
    this.#leases.delete(lease.fence);
    if (!this.#timer || this.#leases.size > 0) return;
    this.#timer();
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#timer || this.#isPolling || this.#leases.size === 0) return;
    this.#timer = this.#runtime.timer(this.#pollMs * (0.75 + this.#runtime.random() / 2), () => {
      this.#timer = undefined;
      void this.#pollAll();
    });
  }

  async #pollAll(): Promise<void> {
    this.#isPolling = true;
    const leases = [...this.#leases.values()];
    try {
      for (let start = 0; start < leases.length; start += BATCH) await this.#poll(leases.slice(start, start + BATCH));
    } finally {
      this.#isPolling = false;
      this.#schedule();
    }
  }

  async #poll(leases: readonly StoredLease[]): Promise<void> {
    const startedAt = this.#runtime.monotonic();
    try {
      const states = await this.#store.poll(leases);
      for (const [i, lease] of leases.entries()) if (this.#isHeld(lease)) this.#update(lease, states[i], startedAt);
    } catch (error) {
      this.#runtime.logger.warn('The leases of this process could not be polled.', { error: String(error) });
      // Another run may have such a lease by now, and this process cannot find out.
      const now = this.#runtime.monotonic();
      for (const lease of leases) if (this.#isHeld(lease) && now >= lease.expiresAt) this.#onLost(lease);
    }
  }

  #update(lease: StoredLease, state: LeaseState | undefined, startedAt: number): void {
    if (!state) return this.#onLost(lease);
    lease.expiresAt = startedAt + state.expiresInMs;
    if (state.stop) lease.askToStop(state.stop.by);
  }

  // A lease may have been released during the poll.
  #isHeld(lease: StoredLease): boolean {
    return this.#leases.get(lease.fence) === lease;
  }
}
