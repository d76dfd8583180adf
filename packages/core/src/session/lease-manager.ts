import type { TholeError } from '../errors/thole-error.ts';
import type { SessionRef } from './session.ts';

/** Proof of a lease, compared by the store at each append; opaque. */
export type Fence = string;

/** What to do when another run holds the session: wait in line, give up, or ask it to stop. */
export type LeasePolicy = 'queue' | 'reject' | 'interrupt';

/** Who asks for a session, and how long it will wait and hold. Durations are milliseconds. */
export interface LeaseRequest {
  invocationId: string;
  /** Who asks: one runner. */
  holder: string;
  policy: LeasePolicy;
  /** For all the waiting together. */
  waitMs: number;
  /** How many may wait before the next is refused. */
  maxWaiting: number;
  /** How long the lease holds unless it is renewed. */
  ttlMs: number;
  /** How long a run that is asked to stop may take. */
  cleanupMs: number;
  /** Called with the error that `lost` or `stop` is aborted with: for a holder that needs no signals, which cost more. */
  onEnd?: ((error: TholeError) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * An ability of a session store: one run at a time per session. First come, first served; `SESSION_BUSY` where the policy
 * is `reject`, where `maxWaiting` wait already, or after `waitMs`. `interrupt` asks the holder to stop and waits at the head
 * of the line; a waiter with the same policy that was there before ends with `RUN_INTERRUPTED`. A lease that ran out holds until
 * another run asks for the session. Strangers implement this; it is only ever extended.
 */
export interface LeaseManager {
  lease(key: SessionRef, request: LeaseRequest): Promise<Lease>;
  /** Who holds the session. */
  current(key: SessionRef): Promise<LeaseInfo | undefined>;
  /** All leases of an app, expired ones too. */
  leases(appName: string): AsyncIterable<LeaseInfo>;
  /** Asks the run that holds the session to stop; false when that invocation does not hold it. */
  requestStop(key: SessionRef, invocationId: string): Promise<boolean>;
}

/** The hold on a session: one at a time, until it is released or runs out. */
export interface Lease {
  readonly fence: Fence;
  /** How the session stands, so that a reader knows whether anything moved; undefined where there is no session. */
  readonly head: SessionHead | undefined;
  /** Aborted with `LEASE_LOST` when the lease is gone. */
  readonly lost: AbortSignal;
  /** Aborted with `RUN_ABORTED` or `RUN_INTERRUPTED` when somebody asks the holder to stop. */
  readonly stop: AbortSignal;
  /**
   * Holds it for another `ttlMs`, and answers how the session stands now. Succeeds late too, as long as no other run has taken it
   * or waits for it. `LEASE_LOST` when it is gone.
   */
  renew(): Promise<SessionHead | undefined>;
  /** Lets go; harmless when repeated. */
  release(): Promise<void>;
}

/** Moves whenever somebody writes: events move `lastSeq`, writes to `app:` and `user:` state move the versions. */
export interface SessionHead {
  incarnation: string;
  lastSeq: number;
  appVersion: number;
  userVersion: number;
}

/** Who holds a session, and until when. */
export interface LeaseInfo {
  key: SessionRef;
  invocationId: string;
  holder: string;
  /** Seconds since the epoch. */
  expiresAt: number;
  expired: boolean;
}
