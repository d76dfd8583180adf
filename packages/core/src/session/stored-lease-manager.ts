import { KeyedQueue } from '../runtime/keyed-queue.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { assertDuration } from '../errors/assert-duration.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import type { TholeError } from '../errors/thole-error.ts';
import { sessionKeyOf } from './assert-name.ts';
import { HeldLeases } from './held-leases.ts';
import { isPromise } from './is-promise.ts';
import { LeaseAttempt } from './lease-attempt.ts';
import type { AttemptContext } from './lease-attempt.ts';
import type { Lease, LeaseInfo, LeaseManager, LeaseRequest, ReleaseOptions, SessionHead } from './lease-manager.ts';
import type { LeaseProcesses } from './lease-processes.ts';
import type { LeaseStore } from './lease-store.ts';
import { leaseLost } from './session-errors.ts';
import type { SessionRef } from './session.ts';
import { StoredLease } from './stored-lease.ts';
import type { LeaseOwner } from './stored-lease.ts';
import { WakeUps } from './wake-ups.ts';

/** Options of `StoredLeaseManager`. */
export interface StoredLeaseManagerOptions {
  /**
   * Maximum time in milliseconds between two asks of a waiting run, and the time between two polls of held leases. A release
   * in this process wakes waiting runs at once. Use `Infinity` for a store that only this manager uses. Default: 500.
   */
  pollMs?: number | undefined;
  /** Milliseconds between the first two asks of a waiting run. Each further pause is 1.5 times as long. Default: `pollMs`. */
  firstPauseMs?: number | undefined;
  /** Names this process in leases, and detects dead processes. Default: leases of dead processes end when they expire. */
  processes?: Pick<LeaseProcesses, 'own' | 'isDead'> | undefined;
}

const names = optionNames<StoredLeaseManagerOptions>({ pollMs: true, firstPauseMs: true, processes: true });

/**
 * Manages leases with the atomic steps of a `LeaseStore`. Waiting runs of this process ask the store in the order of
 * their requests, and again after each pause. A release in this process wakes them. Held leases are polled for stop
 * requests and loss. A lease that expires while the store does not answer counts as lost.
 */
export class StoredLeaseManager implements LeaseManager, LeaseOwner {
  readonly store: LeaseStore;
  readonly #runtime: Runtime;
  readonly #held: HeldLeases;
  readonly #wakeUps: WakeUps;
  readonly #attempts: AttemptContext;

  constructor(store: LeaseStore, runtime: Runtime, options: StoredLeaseManagerOptions = {}) {
    rejectUnknownOptions(options, names, 'StoredLeaseManager');
    const { pollMs = 500, firstPauseMs = pollMs, processes } = options;
    assertDuration('pollMs', pollMs);
    assertDuration('firstPauseMs', firstPauseMs);
    this.store = store;
    this.#runtime = runtime;
    this.#wakeUps = new WakeUps(runtime);
    this.#held = new HeldLeases(store, runtime, { pollMs, onLost: (lease) => void this.#lose(lease) });
    this.#attempts = {
      ...{ store, runtime, pollMs, firstPauseMs: Math.min(firstPauseMs, pollMs), processes },
      ...{ queue: new KeyedQueue(), wakeUps: this.#wakeUps },
      grant: (attempt, head) => this.#grant(attempt, head),
      askToStop: (id, fence, by) => this.#held.get(id, fence)?.askToStop(by),
    };
  }

  lease(key: SessionRef, request: LeaseRequest): Promise<Lease> {
    const fence = this.#runtime.newId('fence');
    return new LeaseAttempt(this.#attempts, { key, id: sessionKeyOf(key), request, fence }).run();
  }

  current(key: SessionRef): Promise<LeaseInfo | undefined> {
    const reading = this.store.current(key);
    // Without processes there is nothing to check, and the caller waits for one microtask less.
    return this.#attempts.processes ? reading.then((info) => info && this.#checkProcess(info)) : reading;
  }

  async *leases(appName: string): AsyncIterable<LeaseInfo> {
    for await (const info of this.store.leases(appName)) yield this.#checkProcess(info);
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<boolean> {
    const stopping = this.store.requestStop(key, invocationId);
    const fence = isPromise(stopping) ? await stopping : stopping;
    if (fence === undefined) return false;
    this.#held.get(sessionKeyOf(key), fence)?.askToStop(undefined);
    return true;
  }

  /** Called by `StoredLease.renew`. */
  async renew(lease: StoredLease): Promise<SessionHead | undefined> {
    const askedAt = this.#runtime.monotonic();
    const renewing = this.store.renew(lease.key, lease.fence, lease.ttlMs);
    const renewed = isPromise(renewing) ? await renewing : renewing;
    if (!renewed) throw lease.isReleased ? leaseLost(lease.key, lease.invocationId) : this.#lose(lease);
    lease.expiresAt = askedAt + renewed.expiresInMs;
    return renewed.head;
  }

  /** Called by `StoredLease.release`. */
  async release(lease: StoredLease, options: ReleaseOptions): Promise<boolean> {
    if (lease.isReleased) return true;
    // Removed before the release: otherwise a poll could report the lease as lost.
    this.#held.remove(lease);
    try {
      const releasing = this.store.release(lease.key, lease.fence, options);
      lease.isReleased = isPromise(releasing) ? await releasing : releasing;
    } finally {
      this.#wakeUps.wake(lease.id);
    }
    if (!lease.isReleased) this.#held.add(lease);
    return lease.isReleased;
  }

  /** Reports the lease of a dead process as expired, because the next run takes it at once. */
  #checkProcess({ process, ...info }: LeaseInfo): LeaseInfo {
    return { ...info, expired: info.expired || this.#attempts.processes?.isDead(process) === true };
  }

  #grant({ key, id, fence, request, askedAt }: LeaseAttempt, head: SessionHead | undefined): Lease {
    // Counted from the start of the ask, so that the lease never expires later in this process than in the store.
    const expiresAt = askedAt + request.ttlMs;
    const lease = new StoredLease(this, { key: { ...key }, id, fence, request, head, expiresAt });
    this.#held.add(lease);
    return lease;
  }

  #lose(lease: StoredLease): TholeError {
    this.#held.remove(lease);
    const error = lease.endAsLost();
    this.#wakeUps.wake(lease.id);
    return error;
  }
}
