import type { Lease, SessionRef, SessionService } from '@thole/core';
import type { SessionCache } from './session-cache.ts';
import type { RunLeases } from './lease.ts';
import type { LiveSession } from './live-session.ts';
import type { LeaseWish, SessionAccess } from '../runner/runner-deps.ts';

/** Where a runner's sessions are: in its service, with leases, and kept between turns. */
export interface SessionKeeping {
  readonly service: SessionService;
  readonly leases: RunLeases;
  readonly hot: SessionCache;
  /** Whether a session that is not there is made. */
  readonly autoCreate: boolean;
}

/** A session of the runner's service. */
export class CachedSession implements SessionAccess {
  readonly #keeping: SessionKeeping;
  readonly #ref: SessionRef;

  constructor(keeping: SessionKeeping, ref: SessionRef) {
    this.#keeping = keeping;
    this.#ref = ref;
  }

  get service(): SessionService {
    return this.#keeping.service;
  }

  takeLease(p: LeaseWish): Promise<Lease> {
    return this.#keeping.leases.take(this.#ref, p);
  }

  fenceOf(lease: Lease): string | undefined {
    return this.#keeping.leases.fenceOf(lease);
  }

  open(lease: Lease, signal: AbortSignal): Promise<LiveSession> {
    const { hot, autoCreate } = this.#keeping;
    return hot.open(this.#ref, lease, { autoCreate, signal });
  }

  forget(): void {
    this.#keeping.hot.forget(this.#ref);
  }
}
