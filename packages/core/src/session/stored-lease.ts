import type { TholeError } from '../errors/thole-error.ts';
import { LazySignal } from './lazy-signal.ts';
import type { Fence, Lease, LeaseRequest, ReleaseOptions, SessionHead } from './lease-manager.ts';
import { leaseLost, runCancelled, runInterrupted } from './session-errors.ts';
import type { SessionRef } from './session.ts';

/** The part of `StoredLeaseManager` that its leases call. */
export interface LeaseOwner {
  renew(lease: StoredLease): Promise<SessionHead | undefined>;
  release(lease: StoredLease, options: ReleaseOptions): Promise<boolean>;
}

/** A lease that `StoredLeaseManager` has granted. */
export class StoredLease implements Lease {
  readonly key: SessionRef;
  /** The key as one string. */
  readonly id: string;
  readonly fence: Fence;
  readonly invocationId: string;
  readonly ttlMs: number;
  readonly head: SessionHead | undefined;
  /** Last known expiry time, by the monotonic clock of the runtime. */
  expiresAt: number;
  isReleased = false;
  readonly #owner: LeaseOwner;
  readonly #onEnd: LeaseRequest['onEnd'];
  readonly #lost = new LazySignal();
  readonly #stop = new LazySignal();

  constructor(
    owner: LeaseOwner,
    p: {
      key: SessionRef;
      id: string;
      fence: Fence;
      request: LeaseRequest;
      head: SessionHead | undefined;
      expiresAt: number;
    },
  ) {
    this.#owner = owner;
    this.key = p.key;
    this.id = p.id;
    this.fence = p.fence;
    this.invocationId = p.request.invocationId;
    this.ttlMs = p.request.ttlMs;
    this.head = p.head;
    this.expiresAt = p.expiresAt;
    this.#onEnd = p.request.onEnd;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  renew(): Promise<SessionHead | undefined> {
    return this.#owner.renew(this);
  }

  release(options: ReleaseOptions = {}): Promise<boolean> {
    return this.#owner.release(this, options);
  }

  /** Notifies the holder that the lease is lost. Only the first call has an effect. */
  endAsLost(): TholeError {
    const error = leaseLost(this.key, this.invocationId);
    this.#end(this.#lost, error);
    return error;
  }

  /** Asks the holder to stop, because of the invocation `by` or of `requestStop`. Only the first call has an effect. */
  askToStop(by: string | undefined): void {
    this.#end(this.#stop, by === undefined ? runCancelled(this.invocationId) : runInterrupted(this.invocationId, by));
  }

  #end(signal: LazySignal, error: TholeError): void {
    if (signal.abort(error)) this.#onEnd?.(error);
  }
}
