import type { Fence, LeaseInfo, LeasePolicy, ReleaseOptions, SessionHead } from './lease-manager.ts';
import type { SessionRef } from './session.ts';

/**
 * Stores the leases of a session store in a few atomic steps. `StoredLeaseManager` adds waiting, polling, signals and
 * errors. The suite `leaseStoreCases` of `@thole/testing` tests an implementation step by step.
 *
 * A session has at most one lease and a line of waiting runs. A lease has a fence, an invocation, a holder, the name of a
 * process and an expiry time. A run that interrupts another run also sets the latest expiry time of its lease. A stop
 * request is set once. A lease is live until its expiry time. An expired lease stays valid until `ask` grants the session
 * to another run: its fence still allows appends. All times are measured with the store's clock. A step may return its
 * result directly or as a promise.
 * Others implement this interface, so it only ever gains optional members.
 */
export interface LeaseStore {
  /**
   * Requests the session, for the first time or again. Returns the first of these answers that applies:
   *
   * 1. `granted`, if the session's lease has this fence and is live. So an ask can be repeated safely.
   * 2. `overtaken`, if this run waited with the policy `interrupt` and a later run with that policy took its place.
   * 3. `granted`, if there is no live lease and no other run waits before this one. The run leaves the line. An expired
   *    lease is replaced, and so is a lease whose fence is `deadFence`.
   * 4. `waiting`, if this run is in the line. It keeps its place.
   * 5. `busy`, if the policy is `reject`.
   * 6. `busy`, if at least `maxWaiting` other runs wait. Runs that this one would overtake do not count. This rule applies
   *    to the first ask only.
   * 7. `waiting`: the run enters the line, at the end. With the policy `interrupt` it enters before all others and
   *    overtakes a waiting run with that policy, which leaves the line. If a live lease exists and this is the first ask,
   *    the lease also gets a stop request by `invocationId`, unless it has one. Its latest expiry time is set to now plus
   *    `cleanupMs`, unless it is earlier already. Its expiry time is then at most its latest expiry time.
   *
   * A store that several processes share removes a run from the line if it has not asked for some time, for example 15 s.
   */
  ask(key: SessionRef, ask: LeaseAsk): LeaseAnswer | Promise<LeaseAnswer>;
  /**
   * Sets the expiry time of the lease with this fence to now plus `ttlMs`, at most its latest expiry time. Returns undefined
   * if the session's lease has another fence or there is none, if its latest expiry time has passed, or if it has expired
   * and another run waits.
   */
  renew(key: SessionRef, fence: Fence, ttlMs: number): LeaseRenewal | undefined | Promise<LeaseRenewal | undefined>;
  /**
   * Removes the lease with this fence, or the place in the line with this fence. Has no effect if there is neither.
   * Returns false, and changes nothing, if the fence has the lease, `ifLastSeq` is given and the session exists with another
   * `lastSeq`. Otherwise returns true. `marks` are stored in the same step if the fence has the lease and the session exists.
   */
  release(key: SessionRef, fence: Fence, options: ReleaseOptions): boolean | Promise<boolean>;
  /**
   * Stores a stop request without an invocation for the session's lease, unless it has one. Returns the fence of the lease.
   * Returns undefined if there is no live lease of this invocation. The expiry times stay the same.
   */
  requestStop(key: SessionRef, invocationId: string): Fence | undefined | Promise<Fence | undefined>;
  /**
   * Returns the state of up to 100 leases, in the order of the list. Undefined means that the session's lease has another
   * fence, or that there is none. An expired lease still has a state.
   */
  poll(
    leases: readonly { readonly key: SessionRef; readonly fence: Fence }[],
  ): readonly (LeaseState | undefined)[] | Promise<readonly (LeaseState | undefined)[]>;
  /** Returns the lease of a session, also an expired one. */
  current(key: SessionRef): Promise<LeaseInfo | undefined>;
  /** Returns all leases of an app, also expired ones. */
  leases(appName: string): AsyncIterable<LeaseInfo>;
}

/** One request of a run for a session. Times are milliseconds. */
export interface LeaseAsk {
  /**
   * The fence of the lease to grant. Identifies the run in the line. Unique across processes, the same in each ask of a
   * run.
   */
  fence: Fence;
  /** True until the run has been answered `waiting`. */
  isFirst: boolean;
  invocationId: string;
  holder: string;
  /** Name of the process of the run, stored with the lease. Undefined if it has no name. */
  process: string | undefined;
  policy: LeasePolicy;
  maxWaiting: number;
  ttlMs: number;
  cleanupMs: number;
  /** Fence of a lease whose process is dead. That lease counts as expired. */
  deadFence: Fence | undefined;
}

/** The store's answer to an ask. */
export type LeaseAnswer =
  | {
      kind: 'granted';
      /** State of the session, read in the same step. Undefined if the session does not exist. */
      head: SessionHead | undefined;
    }
  | {
      kind: 'waiting' | 'busy';
      /** The live lease. Undefined if there is none and another run is first in the line. */
      heldBy: { fence: Fence; invocationId: string; process: string | undefined; expiresInMs: number } | undefined;
      /** Count of the other runs in the line. */
      waiting: number;
    }
  | { kind: 'overtaken' };

/** A lease as `poll` returns it. */
export interface LeaseState {
  /** Milliseconds until the lease expires, not positive if it has expired. */
  expiresInMs: number;
  /** The stop request: `by` is the interrupting invocation, undefined for `requestStop`. Undefined if there is no request. */
  stop?: { by: string | undefined } | undefined;
}

/** A lease whose expiry time `renew` has set. */
export interface LeaseRenewal {
  /** State of the session, read in the same step. Undefined if the session does not exist. */
  head: SessionHead | undefined;
  /** Milliseconds until the lease expires. */
  expiresInMs: number;
}
