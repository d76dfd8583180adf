import type { TholeError } from '../errors/thole-error.ts';
import { raceAbort } from '../errors/race-abort.ts';
import { KeyedQueue } from '../runtime/keyed-queue.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { sessionKeyOf } from './assert-name.ts';
import { HeldLeases } from './held-leases.ts';
import type {
  Fence,
  Lease,
  LeaseInfo,
  LeaseManager,
  LeaseRequest,
  ReleaseOptions,
  SessionHead,
} from './lease-manager.ts';
import type { LeaseProcesses } from './lease-processes.ts';
import type { LeaseAnswer, LeaseStore } from './lease-store.ts';
import { leaseLost, runInterrupted, sessionBusy } from './session-errors.ts';
import type { SessionRef } from './session.ts';
import { StoredLease } from './stored-lease.ts';
import type { LeaseOwner } from './stored-lease.ts';
import { WakeUps } from './wake-ups.ts';
import type { Listener } from './wake-ups.ts';

/** Options of `StoredLeaseManager`. */
export interface StoredLeaseManagerOptions {
  /**
   * Milliseconds between two asks of a waiting run, and between two polls of held leases. A release in this process wakes
   * waiting runs at once. `Infinity`: for a store that only this manager uses. Default: 500.
   */
  pollMs?: number | undefined;
  /** Milliseconds between the first two asks of a waiting run. Each further pause is 1.5 times as long. Default: `pollMs`. */
  firstPauseMs?: number | undefined;
  /** Names this process in leases, and detects dead processes. Default: leases of dead processes end when they expire. */
  processes?: Pick<LeaseProcesses, 'own' | 'isDead'> | undefined;
}

/** Pause of a run while another run is first in the line and is about to take the free session. */
const FREE_SESSION_PAUSE_MS = 50;

/**
 * Leases over the atomic steps of a `LeaseStore`. Waiting runs of this process ask the store in the order of their requests,
 * and again after each pause. A release in this process wakes them. Held leases are polled for stop requests and loss. A
 * lease that has expired while the store does not answer counts as lost.
 */
export class StoredLeaseManager implements LeaseManager, LeaseOwner {
  readonly store: LeaseStore;
  readonly #runtime: Runtime;
  readonly #pollMs: number;
  readonly #firstPauseMs: number;
  readonly #processes: StoredLeaseManagerOptions['processes'];
  readonly #held: HeldLeases;
  readonly #wakeUps: WakeUps;
  readonly #queue = new KeyedQueue();

  constructor(store: LeaseStore, runtime: Runtime, options: StoredLeaseManagerOptions = {}) {
    const { pollMs = 500, firstPauseMs = pollMs, processes } = options;
    this.store = store;
    this.#runtime = runtime;
    this.#pollMs = pollMs;
    this.#firstPauseMs = Math.min(firstPauseMs, pollMs);
    this.#processes = processes;
    this.#wakeUps = new WakeUps(runtime);
    this.#held = new HeldLeases(store, runtime, { pollMs, onLost: (lease) => void this.#lose(lease) });
  }

  async lease(key: SessionRef, request: LeaseRequest): Promise<Lease> {
    const { signal, policy } = request;
    signal?.throwIfAborted();
    const id = sessionKeyOf(key);
    const fence = this.#runtime.newId('fence');
    const end = this.#runtime.monotonic() + request.waitMs;
    let pauseMs = this.#firstPauseMs;
    let isFirst = true;
    let deadFence: Fence | undefined;
    let listener: Listener | undefined;
    let mayHavePlace = false;
    try {
      for (;;) {
        mayHavePlace = true;
        const askedAt = this.#runtime.monotonic();
        const asking = this.#inOrder(id, () => this.#ask(key, request, { fence, isFirst, deadFence }));
        let answer: LeaseAnswer;
        if (isPromise(asking)) {
          // Listens before the answer arrives, so that no release in between is missed.
          listener ??= this.#wakeUps.listen(id);
          answer = await raceAbort(asking, signal);
          signal?.throwIfAborted();
        } else {
          answer = asking;
        }
        if (answer.kind === 'granted') return this.#grant(key, request, { fence, askedAt, answer });
        if (answer.kind === 'overtaken') throw runInterrupted(request.invocationId, undefined);
        const { heldBy } = answer;
        const isNew = isFirst && answer.kind === 'waiting';
        if (isNew) isFirst = false;
        if (isNew && policy === 'interrupt') {
          if (heldBy) this.#held.get(heldBy.fence)?.askToStop(request.invocationId);
          this.#wakeUps.wake(id, listener);
        }
        // The process that holds the session has died and will never release it.
        if (heldBy && heldBy.fence !== deadFence && this.#processes?.isDead(heldBy.process)) {
          deadFence = heldBy.fence;
          continue;
        }
        if (answer.kind === 'busy') {
          mayHavePlace = false;
          const line =
            policy === 'reject'
              ? ''
              : `, and ${answer.waiting} ${answer.waiting === 1 ? 'run waits' : 'runs wait'} for it`;
          throw sessionBusy(key, heldBy?.invocationId, line);
        }
        const leftMs = end - this.#runtime.monotonic();
        if (leftMs <= 0) {
          const error = sessionBusy(key, heldBy?.invocationId, `; waited ${request.waitMs} ms`);
          mayHavePlace = false;
          await this.#leave(key, id, fence);
          throw error;
        }
        listener ??= this.#wakeUps.listen(id);
        const jitteredMs = pauseMs * (0.75 + this.#runtime.random() / 2);
        const ms = Math.min(jitteredMs, leftMs, heldBy?.expiresInMs ?? FREE_SESSION_PAUSE_MS);
        await listener.pause(Math.max(1, ms), signal);
        signal?.throwIfAborted();
        pauseMs = Math.min(pauseMs * 1.5, this.#pollMs);
      }
    } catch (error) {
      // Also if the outcome of the ask is unknown: the lease may be granted, and no run would release it.
      if (mayHavePlace) void this.#leave(key, id, fence);
      throw error;
    } finally {
      listener?.close();
    }
  }

  current(key: SessionRef): Promise<LeaseInfo | undefined> {
    return this.store.current(key);
  }

  leases(appName: string): AsyncIterable<LeaseInfo> {
    return this.store.leases(appName);
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<boolean> {
    const stopping = this.store.requestStop(key, invocationId);
    const fence = isPromise(stopping) ? await stopping : stopping;
    if (fence === undefined) return false;
    this.#held.get(fence)?.askToStop(undefined);
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
    // Not polled during the release: the poll would report it as lost.
    this.#held.remove(lease);
    try {
      const releasing = this.store.release(lease.key, lease.fence, options);
      lease.isReleased = isPromise(releasing) ? await releasing : releasing;
    } finally {
      this.#wakeUps.wake(sessionKeyOf(lease.key));
    }
    if (!lease.isReleased) this.#held.add(lease);
    return lease.isReleased;
  }

  #ask(
    key: SessionRef,
    request: LeaseRequest,
    p: { fence: Fence; isFirst: boolean; deadFence: Fence | undefined },
  ): LeaseAnswer | Promise<LeaseAnswer> {
    request.signal?.throwIfAborted();
    const { invocationId, holder, policy, maxWaiting, ttlMs, cleanupMs } = request;
    const process = this.#processes?.own;
    return this.store.ask(key, { ...p, invocationId, holder, process, policy, maxWaiting, ttlMs, cleanupMs });
  }

  #grant(
    key: SessionRef,
    request: LeaseRequest,
    p: { fence: Fence; askedAt: number; answer: LeaseAnswer & { kind: 'granted' } },
  ): Lease {
    const { fence, answer } = p;
    const { head, replaced } = answer;
    // Counted from before the ask: the process never believes in the lease for longer than the store does.
    const expiresAt = p.askedAt + request.ttlMs;
    const lease = new StoredLease(this, { key: { ...key }, fence, request, head, expiresAt });
    this.#held.add(lease);
    const previous = replaced === undefined ? undefined : this.#held.get(replaced);
    if (previous) this.#lose(previous);
    return lease;
  }

  #lose(lease: StoredLease): TholeError {
    this.#held.remove(lease);
    const error = lease.endAsLost();
    this.#wakeUps.wake(sessionKeyOf(lease.key));
    return error;
  }

  async #leave(key: SessionRef, id: string, fence: Fence): Promise<void> {
    try {
      await this.#inOrder(id, () => this.store.release(key, fence, {}));
    } catch (error) {
      // The store removes the place, or the lease, when it expires.
      this.#runtime.logger.warn('A place in the line of a session could not be left.', { error: String(error) });
    }
    this.#wakeUps.wake(id);
  }

  /** Calls the store after the earlier calls for this session. A store without promises answers at once. */
  #inOrder<T>(id: string, call: () => T | Promise<T>): T | Promise<T> {
    if (this.#queue.isBusy(id)) return this.#queue.run(id, async () => call());
    const result = call();
    return isPromise(result) ? this.#queue.run(id, () => result) : result;
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
