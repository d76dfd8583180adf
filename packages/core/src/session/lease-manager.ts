import type { TholeError } from '../errors/thole-error.ts';
import type { SessionMarks, SessionRef } from './session.ts';

/** Proof of a lease. The store compares it at each append. */
export type Fence = string;

/**
 * Behavior of a run if another run holds the session: `queue` waits, `reject` fails at once, `interrupt` asks the holder to
 * stop and waits before all other runs.
 */
export type LeasePolicy = 'queue' | 'reject' | 'interrupt';

/** A request for a session's lease. Times are milliseconds. */
export interface LeaseRequest {
  invocationId: string;
  /** Id of the runner that requests the lease. */
  holder: string;
  policy: LeasePolicy;
  /** Maximum waiting time. `Infinity` waits without a limit. */
  waitMs: number;
  /** Maximum number of waiting runs. A further run fails with `SESSION_BUSY`. */
  maxWaiting: number;
  /** Time until the lease expires if it is not renewed. */
  ttlMs: number;
  /** Time until the lease expires after another run has interrupted it. */
  cleanupMs: number;
  /** Called with each error that aborts `stop` or `lost`. Costs less than the two signals. */
  onEnd?: ((error: TholeError) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * An ability of a session store: allows one run at a time per session, in the order of requests. `lease` throws
 * `SESSION_BUSY` if the policy is `reject` and the session is held, if `maxWaiting` runs wait, or after `waitMs`. With
 * the policy `interrupt` it replaces a waiting run of that policy, which ends with `RUN_INTERRUPTED`. An expired lease
 * stays valid until another run requests the session. `StoredLeaseManager` implements this interface for all stores.
 * Others may implement it too, so it only ever gains optional members.
 */
export interface LeaseManager {
  lease(key: SessionRef, request: LeaseRequest): Promise<Lease>;
  /** Returns the lease of a session, also an expired one. */
  current(key: SessionRef): Promise<LeaseInfo | undefined>;
  /** Returns all leases of an app, also expired ones. */
  leases(appName: string): AsyncIterable<LeaseInfo>;
  /** Asks the invocation that holds the session to stop. Returns false if this invocation does not hold it. */
  requestStop(key: SessionRef, invocationId: string): Promise<boolean>;
}

/** The exclusive right of one run to work on a session, until the lease is released or replaced. */
export interface Lease {
  readonly fence: Fence;
  /** State of the session when the lease was granted. Undefined if the session did not exist. */
  readonly head: SessionHead | undefined;
  /** Aborted with `LEASE_LOST` when the lease is lost. */
  readonly lost: AbortSignal;
  /** Aborted with `RUN_ABORTED` or `RUN_INTERRUPTED` when the holder is asked to stop. */
  readonly stop: AbortSignal;
  /**
   * Extends the lease by `ttlMs` from now and returns the state of the session. Also extends an expired lease, unless
   * another run has taken it or waits for it. Throws `LEASE_LOST` if the lease is lost.
   */
  renew(): Promise<SessionHead | undefined>;
  /**
   * Releases the lease and returns true, also if it is called again. Returns false and keeps the lease if
   * `ifLastSeq` is given and the session has another `lastSeq`.
   */
  release(options?: ReleaseOptions): Promise<boolean>;
}

/** Options of `Lease.release`. */
export interface ReleaseOptions {
  /** Releases the lease only if this is the session's `lastSeq`. Default: releases it in any case. */
  ifLastSeq?: number | undefined;
  /** Marks to store in the same step. They are not stored if the lease is lost. */
  marks?: Partial<SessionMarks> | undefined;
}

/**
 * Versions of a session's data. Each event increases `lastSeq`. Each write to `app:` or `user:` state changes `appVersion`
 * or `userVersion`.
 */
export interface SessionHead {
  incarnation: string;
  lastSeq: number;
  /**
   * Id of the event with `lastSeq`. Undefined if the session has no events, if that event was pruned, or if the store cannot
   * tell. A database that has lost events may have given their numbers to other events; a cached session is then read again.
   */
  lastEventId?: string | undefined;
  appVersion: number;
  userVersion: number;
}

/** A lease as lists return it. */
export interface LeaseInfo {
  key: SessionRef;
  invocationId: string;
  holder: string;
  /** Seconds since the epoch. */
  expiresAt: number;
  /** True if the lease has expired, or if its process is certainly dead. */
  expired: boolean;
  /** Name of the process. A `LeaseStore` returns it for `StoredLeaseManager`, which sets `expired` and removes it. */
  process?: string | undefined;
}
