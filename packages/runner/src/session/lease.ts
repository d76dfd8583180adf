import { TholeError } from '@thole/core';
import { inProcessLeases } from '@thole/core/kit';
import type { Lease, LeaseManager, LeasePolicy, Runtime, SessionRef, SessionService } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';

/** Rules for a run whose session has another active run. */
export interface Concurrency {
  /**
   * `queue` waits, `reject` fails with `SESSION_BUSY`, `interrupt` stops the other run. `join` adds the message to the other
   * run, whose agents see it at their next model call. Answers to interrupts always join. Default: `queue`.
   */
  policy?: LeasePolicy | 'join' | undefined;
  /** Maximum number of runs that wait for one session. A further run fails with `SESSION_BUSY`. Default: 16. */
  maxWaiting?: number | undefined;
  /** Maximum waiting time in milliseconds, then `SESSION_BUSY`. `Infinity` means no limit. Default: 30,000. */
  waitMs?: number | undefined;
}

const LEASE_TTL_MS = 30_000;
/** Time between two attempts to renew a lease if the store does not answer, in milliseconds. */
const RETRY_MS = LEASE_TTL_MS / 10;
/** 100 years. Used instead of `Infinity`, which some databases cannot store. */
const MAX_CLEANUP_MS = 100 * 365 * 24 * 3_600_000;

/** The leases of one runner. A store without leases gets leases that are valid in this process only. */
export class SessionLeases {
  readonly #service: SessionService;
  readonly #local: LeaseManager;
  readonly #runtime: Runtime;
  /** Created at the first run, because Cloudflare Workers allow no random values when a runner is created. */
  #holder: string | undefined;
  readonly #concurrency: Concurrency;

  constructor(service: SessionService, runtime: Runtime, concurrency: Concurrency) {
    this.#service = service;
    this.#local = inProcessLeases(runtime);
    this.#runtime = runtime;
    this.#concurrency = concurrency;
  }

  /** Resolves when the run holds the session. Rejects with `SESSION_BUSY` or the reason of the run's signal. */
  take(ref: SessionRef, task: RunTask, concurrency: Concurrency = this.#concurrency): Promise<Lease> {
    const { policy = 'queue', maxWaiting = 16, waitMs = 30_000 } = concurrency;
    return this.#manager.lease(ref, {
      invocationId: task.invocationId,
      cleanupMs: Math.min(task.cleanupMs, MAX_CLEANUP_MS),
      signal: task.signal,
      onEnd: (error) => task.stop(error),
      holder: (this.#holder ??= this.#runtime.newId('runner')),
      // A message that cannot join waits in the queue.
      policy: policy === 'join' ? 'queue' : policy,
      maxWaiting,
      waitMs,
      ttlMs: LEASE_TTL_MS,
    });
  }

  /** True if messages wait until the run that holds the session has ended. */
  get isQueuePolicy(): boolean {
    return (this.#concurrency.policy ?? 'queue') === 'queue';
  }

  /** True if messages are added to the run that holds the session. */
  get isJoinPolicy(): boolean {
    return this.#concurrency.policy === 'join';
  }

  /** Returns the fence for appends. Undefined if the store has no leases: it cannot check the fence. */
  fenceOf(lease: Lease): string | undefined {
    return this.#service.leasing ? lease.fence : undefined;
  }

  /**
   * Signals the active run of the session to stop. Returns false if there is no active run, or if `invocationId` is the id of
   * another invocation.
   */
  async requestStop(ref: SessionRef, invocationId: string | undefined): Promise<boolean> {
    const id = await this.currentInvocation(ref);
    return id !== undefined && id === (invocationId ?? id) && this.#manager.requestStop(ref, id);
  }

  /** Returns the invocation of the active run: its lease has not expired, and its process is not certainly dead. */
  async currentInvocation(ref: SessionRef): Promise<string | undefined> {
    const lease = await this.#manager.current(ref);
    return lease && !lease.expired ? lease.invocationId : undefined;
  }

  get #manager(): LeaseManager {
    return this.#service.leasing ?? this.#local;
  }
}

/** Renews the lease of one run each time a third of its duration has passed. Stops the run if the lease is lost. */
export class LeaseRenewal {
  readonly #task: RunTask;
  readonly #lease: Lease;
  /** Times of the monotonic clock. */
  #renewAt: number = 0;
  #expiresAt: number = 0;
  #isRenewing = false;
  /** True if a renewal was due and none has succeeded since. */
  #isDue = false;

  constructor(task: RunTask, lease: Lease) {
    this.#task = task;
    this.#lease = lease;
    this.#renewedAt(task.runner.runtime.monotonic());
  }

  /** Renews the lease if the renewal is due, and stops the run if the lease has expired. Returns the time of the next check. */
  check(now: number): number {
    if (now >= this.#renewAt) {
      // The process may have been suspended. An expired lease that no other run has taken can still be renewed.
      if (!this.#isDue) this.#expiresAt = Math.max(this.#expiresAt, now + RETRY_MS);
      this.#isDue = true;
      this.#renewAt = now + RETRY_MS;
      if (!this.#isRenewing) void this.#renew(now);
    }
    if (this.#isRenewing && now >= this.#expiresAt) {
      const { invocationId } = this.#task;
      this.#task.stop(new TholeError('LEASE_LOST', `The lease of invocation ${invocationId} could not be renewed.`));
    }
    return this.#renewAt;
  }

  // An unavailable store does not stop the run. Only a lost or expired lease does.
  async #renew(now: number): Promise<void> {
    this.#isRenewing = true;
    try {
      await this.#lease.renew();
      this.#renewedAt(now);
    } catch (error) {
      const hasExpired = this.#task.runner.runtime.monotonic() >= this.#expiresAt;
      if (hasExpired || TholeError.is(error, 'LEASE_LOST')) this.#task.stop(error);
    } finally {
      this.#isRenewing = false;
    }
  }

  #renewedAt(now: number): void {
    this.#isDue = false;
    this.#expiresAt = now + LEASE_TTL_MS;
    this.#renewAt = now + LEASE_TTL_MS / 3;
  }
}
