import { raceAbort } from '../errors/race-abort.ts';
import type { TholeError } from '../errors/thole-error.ts';
import type { KeyedQueue } from '../runtime/keyed-queue.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isPromise } from './is-promise.ts';
import type { Fence, Lease, LeaseRequest, SessionHead } from './lease-manager.ts';
import type { LeaseProcesses } from './lease-processes.ts';
import type { LeaseAnswer, LeaseStore } from './lease-store.ts';
import { runInterrupted, sessionBusy } from './session-errors.ts';
import type { SessionRef } from './session.ts';
import type { Listener, WakeUps } from './wake-ups.ts';

/** The parts of a `StoredLeaseManager` that its attempts share. */
export interface AttemptContext {
  readonly store: LeaseStore;
  readonly runtime: Runtime;
  readonly pollMs: number;
  readonly firstPauseMs: number;
  readonly processes: Pick<LeaseProcesses, 'own' | 'isDead'> | undefined;
  /** The calls to the store for each session, in order. */
  readonly queue: KeyedQueue;
  /** Wakes the attempts that wait for a session, by its key. */
  readonly wakeUps: WakeUps;
  /** Creates the lease of an attempt. */
  grant(attempt: LeaseAttempt, head: SessionHead | undefined): Lease;
  /** Asks the holder of a session to stop if it is in this process and has this fence. */
  askToStop(id: string, fence: Fence, by: string): void;
}

type Refusal = Extract<LeaseAnswer, { waiting: number }>;

/** Pause in milliseconds while the session is free and another run, first in the line, is about to take it. */
const FREE_SESSION_PAUSE_MS = 50;

/** One request for a session. Asks the store until the session is granted or refused, with a pause between two asks. */
export class LeaseAttempt {
  readonly key: SessionRef;
  /** The key as one string. */
  readonly id: string;
  readonly request: LeaseRequest;
  readonly fence: Fence;
  /** Start of the latest ask, by the monotonic clock. */
  askedAt: number;
  readonly #context: AttemptContext;
  readonly #endsAt: number;
  #isFirst = true;
  #deadFence: Fence | undefined;
  #pauseMs: number;
  #listener: Listener | undefined;
  /** True if the store may have a place in the line or a lease for this fence. */
  #mustLeave = false;
  #isTimeOver = false;

  constructor(context: AttemptContext, p: { key: SessionRef; id: string; request: LeaseRequest; fence: Fence }) {
    this.#context = context;
    this.key = p.key;
    this.id = p.id;
    this.request = p.request;
    this.fence = p.fence;
    this.askedAt = context.runtime.monotonic();
    this.#endsAt = this.askedAt + p.request.waitMs;
    this.#pauseMs = context.firstPauseMs;
  }

  /** Returns the lease. Throws if the session is busy, another run interrupts this one, or the signal is aborted. */
  async run(): Promise<Lease> {
    const { signal } = this.request;
    signal?.throwIfAborted();
    try {
      for (;;) {
        // A synchronous store returns its answer directly, so that a turn in memory does not wait for a further microtask.
        const asking = this.#ask();
        const answer = isPromise(asking) ? await this.#answerOf(asking) : asking;
        if (answer.kind === 'granted') return this.#context.grant(this, answer.head);
        if (answer.kind === 'overtaken') throw runInterrupted(this.request.invocationId, undefined);
        if (answer.kind === 'waiting' && this.#isFirst) this.#enterLine(answer);
        if (this.#findDeadHolder(answer)) continue;
        if (answer.kind === 'busy') throw this.#toBusyError(answer);
        await this.#pause(answer);
        signal?.throwIfAborted();
      }
    } catch (error) {
      if (this.#mustLeave) {
        const leaving = this.#leave();
        if (this.#isTimeOver) await leaving;
      }
      throw error;
    } finally {
      this.#listener?.close();
    }
  }

  #ask(): LeaseAnswer | Promise<LeaseAnswer> {
    const { queue } = this.#context;
    this.#mustLeave = true;
    if (queue.isBusy(this.id)) return queue.run(this.id, async () => this.#askStore());
    const asking = this.#askStore();
    return isPromise(asking) ? queue.run(this.id, () => asking) : asking;
  }

  #askStore(): LeaseAnswer | Promise<LeaseAnswer> {
    const { store, runtime, processes } = this.#context;
    const { invocationId, holder, policy, maxWaiting, ttlMs, cleanupMs, signal } = this.request;
    signal?.throwIfAborted();
    if (!this.#isFirst) this.askedAt = runtime.monotonic();
    return store.ask(this.key, {
      fence: this.fence,
      isFirst: this.#isFirst,
      invocationId,
      holder,
      process: processes?.own,
      policy,
      maxWaiting,
      ttlMs,
      cleanupMs,
      deadFence: this.#deadFence,
    });
  }

  async #answerOf(asking: Promise<LeaseAnswer>): Promise<LeaseAnswer> {
    const { signal } = this.request;
    // Listens before the answer arrives, so that a release meanwhile is not missed.
    this.#listen();
    const answer = await raceAbort(asking, signal);
    signal?.throwIfAborted();
    return answer;
  }

  #enterLine({ heldBy }: Refusal): void {
    const { wakeUps } = this.#context;
    const { policy, invocationId } = this.request;
    this.#isFirst = false;
    if (policy !== 'interrupt') return;
    if (heldBy) this.#context.askToStop(this.id, heldBy.fence, invocationId);
    // Wakes a run that this one has overtaken: it asks again and receives `overtaken`.
    wakeUps.wake(this.id, this.#listener);
  }

  /** Returns true if the process that holds the session has died: it will never release the session. */
  #findDeadHolder({ heldBy }: Refusal): boolean {
    if (!heldBy || heldBy.fence === this.#deadFence) return false;
    if (!this.#context.processes?.isDead(heldBy.process)) return false;
    this.#deadFence = heldBy.fence;
    return true;
  }

  #toBusyError({ heldBy, waiting }: Refusal): TholeError {
    this.#mustLeave = false;
    const line = `, and ${waiting} ${waiting === 1 ? 'run waits' : 'runs wait'} for it`;
    return sessionBusy(this.key, heldBy?.invocationId, this.request.policy === 'reject' ? '' : line);
  }

  async #pause({ heldBy }: Refusal): Promise<void> {
    const { runtime, pollMs } = this.#context;
    const { waitMs, signal } = this.request;
    const leftMs = this.#endsAt - runtime.monotonic();
    if (leftMs <= 0) {
      this.#isTimeOver = true;
      throw sessionBusy(this.key, heldBy?.invocationId, `; waited ${waitMs} ms`);
    }
    const pauseMs = this.#pauseMs * (0.75 + runtime.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, pollMs);
    const untilFreeMs = heldBy ? heldBy.expiresInMs : FREE_SESSION_PAUSE_MS;
    await this.#listen().pause(Math.max(1, Math.min(pauseMs, leftMs, untilFreeMs)), signal);
  }

  #listen(): Listener {
    return (this.#listener ??= this.#context.wakeUps.listen(this.id));
  }

  /** Leaves the line, and releases the lease if the store granted it but its answer was lost. Never rejects. */
  async #leave(): Promise<void> {
    const { store, runtime, queue, wakeUps } = this.#context;
    try {
      if (queue.isBusy(this.id)) {
        await queue.run(this.id, async () => store.release(this.key, this.fence, {}));
      } else {
        const leaving = store.release(this.key, this.fence, {});
        if (isPromise(leaving)) await queue.run(this.id, () => leaving);
      }
    } catch (error) {
      // The place or the lease expires in the store.
      runtime.logger.warn('A place in the line of a session could not be left.', { error: String(error) });
    }
    wakeUps.wake(this.id);
  }
}
