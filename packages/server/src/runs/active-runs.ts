import { TholeError } from '@thole/core';
import type { Event, Runtime, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import type { Limits } from '../limits.ts';
import type { RunBuffer } from './run-buffer.ts';

/** The active runs of this process. Limits their number, finds the runs that clients can read, and ends runs at shutdown. */
export class ActiveRuns {
  readonly #limits: Limits;
  readonly #runtime: Runtime;
  readonly #runs: Set<Run> = new Set();
  readonly #frames: Map<string, RunBuffer<string>> = new Map();
  readonly #events: Map<string, RunBuffer<Event>> = new Map();
  #draining: boolean = false;
  #closing: boolean = false;

  constructor(p: { limits: Limits; runtime: Runtime }) {
    this.#limits = p.limits;
    this.#runtime = p.runtime;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** True if a load balancer should send no new requests. */
  get draining(): boolean {
    return this.#draining;
  }

  /** True if the server has begun to close. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Sets `draining` and waits `ms` milliseconds for load balancers. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    if (ms > 0) await this.#runtime.sleep(ms);
  }

  /** Throws `SERVER_BUSY` if no further run may start. */
  assertCapacity(): void {
    if (this.#closing) throw new TholeError('SERVER_BUSY', 'The server is about to close.');
    if (this.#runs.size >= this.#limits.concurrentRuns)
      throw new TholeError(
        'SERVER_BUSY',
        `The server already has ${this.#limits.concurrentRuns} active runs, its maximum.`,
      );
  }

  /** Counts a run as active until it has closed. */
  add(run: Run): void {
    this.#runs.add(run);
    void run.done.then(() => this.#runs.delete(run));
  }

  /**
   * Makes a started run available to `find` until it has closed. Ignored if the run has joined another run, which is found
   * instead.
   */
  publish(buffer: RunBuffer<string>, run: Run): void {
    addUntilDone(this.#frames, buffer, run);
  }

  /** Returns the published run of an invocation. Undefined if this process does not run it. */
  find(ref: SessionRef, invocationId: string): RunBuffer<string> | undefined {
    return findOfSession(this.#frames, ref, invocationId);
  }

  /** Same as `publish`, for a run whose events are buffered. */
  publishEvents(buffer: RunBuffer<Event>, run: Run): void {
    addUntilDone(this.#events, buffer, run);
  }

  /** Same as `find`, for a run whose events are buffered. */
  findEvents(ref: SessionRef, invocationId: string): RunBuffer<Event> | undefined {
    return findOfSession(this.#events, ref, invocationId);
  }

  /**
   * Rejects new runs, waits `timeoutMs` milliseconds for active runs, then stops the rest and waits until all have closed.
   * Another process can continue the stopped runs if their sessions outlive this one.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#draining = true;
    this.#closing = true;
    const allClosed = new AbortController();
    const all = Promise.all([...this.#runs].map((run) => run.done)).then(() => allClosed.abort());
    await this.#runtime.sleep(timeoutMs, allClosed.signal).catch(() => {});
    for (const run of this.#runs) run.shutDown('The server is closing.');
    await all;
  }
}

function addUntilDone<T>(published: Map<string, RunBuffer<T>>, buffer: RunBuffer<T>, run: Run): void {
  const { invocationId } = buffer;
  if (published.get(invocationId)?.ended === false) return;
  published.set(invocationId, buffer);
  void run.done.then(() => {
    if (published.get(invocationId) === buffer) published.delete(invocationId);
  });
}

function findOfSession<T>(
  published: ReadonlyMap<string, RunBuffer<T>>,
  ref: SessionRef,
  invocationId: string,
): RunBuffer<T> | undefined {
  const buffer = published.get(invocationId);
  const isOfSession =
    buffer?.ref.appName === ref.appName && buffer.ref.userId === ref.userId && buffer.ref.sessionId === ref.sessionId;
  return isOfSession ? buffer : undefined;
}
