import { TholeError } from '@thole/core';
import type { Lease, LeaseRequest, SessionHead, SessionRef } from '@thole/core';

/** What a lease asks of the leasing that gave it. */
export interface LeaseOwner {
  renew(lease: SqlLease): Promise<SessionHead | undefined>;
  release(lease: SqlLease): Promise<boolean>;
}

/** A hold on a session that stands in the database. */
export class SqlLease implements Lease {
  readonly fence: string;
  readonly key: SessionRef;
  readonly invocationId: string;
  readonly ttlMs: number;
  readonly head: SessionHead | undefined;
  readonly #owner: LeaseOwner;
  readonly #onEnd: LeaseRequest['onEnd'];
  readonly #ends = { lost: new AbortController(), stop: new AbortController() };

  constructor(
    owner: LeaseOwner,
    p: { key: SessionRef; fence: string; request: LeaseRequest; head: SessionHead | undefined },
  ) {
    this.#owner = owner;
    this.key = p.key;
    this.fence = p.fence;
    this.head = p.head;
    this.invocationId = p.request.invocationId;
    this.ttlMs = p.request.ttlMs;
    this.#onEnd = p.request.onEnd;
  }

  get lost(): AbortSignal {
    return this.#ends.lost.signal;
  }
  get stop(): AbortSignal {
    return this.#ends.stop.signal;
  }

  renew(): Promise<SessionHead | undefined> {
    return this.#owner.renew(this);
  }

  release(): Promise<boolean> {
    return this.#owner.release(this);
  }

  /** Tells the holder that the lease is gone, once; answers the error. */
  tellLost(): TholeError {
    const error = new TholeError('LEASE_LOST', `Invocation ${this.invocationId} no longer holds its session.`);
    this.#tell('lost', error);
    return error;
  }

  /** Tells the holder to stop, once: cancelled, or giving way to another invocation. */
  tellStop(givesWayTo: string | undefined): void {
    const error =
      givesWayTo === undefined
        ? new TholeError('RUN_ABORTED', `Invocation ${this.invocationId} was cancelled.`)
        : new TholeError('RUN_INTERRUPTED', `Invocation ${this.invocationId} gave way to invocation ${givesWayTo}.`);
    this.#tell('stop', error);
  }

  #tell(which: 'lost' | 'stop', error: TholeError): void {
    const { [which]: end } = this.#ends;
    if (end.signal.aborted) return;
    end.abort(error);
    this.#onEnd?.(error);
  }
}
