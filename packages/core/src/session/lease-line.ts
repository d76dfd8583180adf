import { TholeError } from '../errors/thole-error.ts';
import type { LazySignal } from './lazy-signal.ts';
import type { CancelTimer } from '../runtime/runtime.ts';
import type { Fence, Lease, LeaseRequest } from './lease-manager.ts';
import type { SessionRef } from './session.ts';

/** One session: who holds it, and who waits for it in which order. */
export interface Line {
  readonly id: string;
  readonly key: SessionRef;
  waiting: Waiter[];
  held?: Held | undefined;
  expiry?: CancelTimer | undefined;
}

/** A run that waits, and how it hears that its turn has come, or never will. */
export interface Waiter {
  readonly request: LeaseRequest;
  grant(lease: Lease): void;
  refuse(error: TholeError): void;
}

/** The hold of one invocation. */
export interface Held {
  readonly fence: Fence;
  readonly invocationId: string;
  readonly holder: string;
  /** By the monotonic clock. */
  expiresAt: number;
  /** No renewal goes beyond this: set when the holder is asked to give way. */
  latestEnd: number;
  readonly lost: LazySignal;
  readonly stop: LazySignal;
  readonly onEnd: LeaseRequest['onEnd'];
}

/** Tells the holder, by the signal and by `onEnd`, each once. */
export function tellHolder(held: Held, which: 'lost' | 'stop', error: TholeError): void {
  if (held[which].abort(error)) held.onEnd?.(error);
}

/** What a holder hears whose lease is gone. */
export function leaseLost(held: Held): TholeError {
  return new TholeError('LEASE_LOST', `Invocation ${held.invocationId} no longer holds its session.`);
}

/** The error of a run that a newer one interrupts or overtakes. */
export function gaveWay(invocationId: string, to: string): TholeError {
  return new TholeError('RUN_INTERRUPTED', `Invocation ${invocationId} gave way to invocation ${to}.`);
}
