import { inProcessLeases } from '@thole/core/kit';
import type { Lease, LeaseManager, LeasePolicy, Runtime, SessionRef, SessionService, TholeError } from '@thole/core';

/** What becomes of a run whose session another run holds; what finds no room is `SESSION_BUSY`. */
export interface Concurrency {
  /** `queue` (default), `reject` or `interrupt`. */
  policy?: LeasePolicy | undefined;
  /** How many runs may wait for one session (16). */
  maxWaiting?: number | undefined;
  /** How long one waits, in milliseconds (30,000); `Infinity` for no limit. */
  waitMs?: number | undefined;
}

/** How long a lease holds; a living run renews it when a third has passed. */
export const LEASE_TTL_MS = 30_000;

/** A hundred years: databases keep it, and not all of them keep `Infinity`. */
const FOREVER_MS = 100 * 365 * 24 * 3_600_000;

/** Takes sessions' leases for one runner: from the store, or among the runs of this runner where the store has none. */
export class RunLeases {
  readonly #service: SessionService;
  readonly #local: LeaseManager;
  readonly #holder: string;
  readonly #concurrency: Concurrency;

  constructor(service: SessionService, runtime: Runtime, concurrency: Concurrency) {
    this.#service = service;
    this.#local = inProcessLeases(runtime);
    this.#holder = runtime.newId('runner');
    this.#concurrency = concurrency;
  }

  take(
    ref: SessionRef,
    p: { invocationId: string; cleanupMs: number; signal: AbortSignal; onEnd(error: TholeError): void },
  ): Promise<Lease> {
    const { policy = 'queue', maxWaiting = 16, waitMs = 30_000 } = this.#concurrency;
    return this.#leasing.lease(ref, {
      ...p,
      cleanupMs: Math.min(p.cleanupMs, FOREVER_MS),
      holder: this.#holder,
      policy,
      maxWaiting,
      waitMs,
      ttlMs: LEASE_TTL_MS,
    });
  }

  /** What appends show; a lease of our own means nothing to a store without leases. */
  fenceOf(lease: Lease): string | undefined {
    return this.#service.leasing ? lease.fence : undefined;
  }

  async stop(ref: SessionRef, invocationId: string | undefined): Promise<boolean> {
    const id = invocationId ?? (await this.#leasing.current(ref))?.invocationId;
    return id !== undefined && this.#leasing.requestStop(ref, id);
  }

  get #leasing(): NonNullable<SessionService['leasing']> {
    return this.#service.leasing ?? this.#local;
  }
}
