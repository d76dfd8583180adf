import type { CancelTimer, Runtime } from '../runtime/runtime.ts';
import type { Fence } from './lease-manager.ts';
import type { LeaseState, LeaseStore } from './lease-store.ts';
import type { StoredLease } from './stored-lease.ts';

/** Maximum number of leases in one `poll`. */
const BATCH = 100;

/**
 * The leases that this process holds. While it holds a lease, it polls the store for stop requests and lost leases. With
 * `pollMs: Infinity`, for a store that only this process uses, it never polls.
 */
export class HeldLeases {
  /** Leases by the key of their session. */
  readonly #leases = new Map<string, StoredLease>();
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

  /** Adds a lease. An earlier lease of the same session was replaced in the store, so it is lost. */
  add(lease: StoredLease): void {
    const replaced = this.#leases.get(lease.id);
    this.#leases.set(lease.id, lease);
    if (replaced) this.#onLost(replaced);
    if (this.#pollMs !== Infinity) this.#schedule();
  }

  /** Returns the lease of a session if this process holds it with this fence. */
  get(id: string, fence: Fence): StoredLease | undefined {
    const lease = this.#leases.get(id);
    return lease?.fence === fence ? lease : undefined;
  }

  remove(lease: StoredLease): void {
    if (this.#isHeld(lease)) this.#leases.delete(lease.id);
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
      // A lease may have been released during the poll.
      for (const [i, lease] of leases.entries()) if (this.#isHeld(lease)) this.#update(lease, states[i], startedAt);
    } catch (error) {
      this.#runtime.logger.warn('The leases of this process could not be polled.', { error: String(error) });
      // Another run may have taken an expired lease meanwhile, and this process cannot find out.
      const now = this.#runtime.monotonic();
      for (const lease of leases) if (this.#isHeld(lease) && now >= lease.expiresAt) this.#onLost(lease);
    }
  }

  #update(lease: StoredLease, state: LeaseState | undefined, startedAt: number): void {
    if (!state) return this.#onLost(lease);
    lease.expiresAt = startedAt + state.expiresInMs;
    if (state.stop) lease.askToStop(state.stop.by);
  }

  #isHeld(lease: StoredLease): boolean {
    return this.#leases.get(lease.id) === lease;
  }
}
