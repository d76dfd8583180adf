import { TholeError } from '@thole/core';
import type { Runtime, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import type { EventBuffer } from '../front-ends/event-buffer.ts';
import type { Limits } from '../limits.ts';
import type { BufferedRun } from './buffered-run.ts';

/**
 * The active runs of this process: limits their number, finds those that clients can read, and ends them at shutdown.
 */
export class ActiveRuns {
  readonly #limits: Limits;
  readonly #runtime: Runtime;
  readonly #runs: Set<Run> = new Set();
  readonly #buffered: Map<string, BufferedRun> = new Map();
  readonly #eventBuffers: Map<string, EventBuffer> = new Map();
  #draining: boolean = false;
  #closing: boolean = false;

  constructor(p: { limits: Limits; runtime: Runtime }) {
    this.#limits = p.limits;
    this.#runtime = p.runtime;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** True if a load balancer should send new requests elsewhere. */
  get draining(): boolean {
    return this.#draining;
  }

  /** True if the server has begun to close. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Sets `draining` and waits `ms` milliseconds, so that load balancers notice it. */
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

  /** Counts a run until it has closed. */
  add(run: Run): void {
    this.#runs.add(run);
    void run.done.then(() => this.#runs.delete(run));
  }

  /** Lets clients find a run that has started, until it has closed. A run that it has joined stays the one to find. */
  publish(buffered: BufferedRun, run: Run): void {
    addUntilDone(this.#buffered, buffered, run);
  }

  /** Returns the published run of this session; undefined if there is none in this process. */
  find(ref: SessionRef, invocationId: string): BufferedRun | undefined {
    return findOfSession(this.#buffered, ref, invocationId);
  }

  /** Same as `publish`, for a run whose events are buffered. */
  publishEvents(buffer: EventBuffer, run: Run): void {
    addUntilDone(this.#eventBuffers, buffer, run);
  }

  /** Same as `find`, for a run whose events are buffered. */
  findEvents(ref: SessionRef, invocationId: string): EventBuffer | undefined {
    return findOfSession(this.#eventBuffers, ref, invocationId);
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

type Published = Pick<BufferedRun, 'ended' | 'invocationId' | 'ref'>;

function addUntilDone<T extends Published>(published: Map<string, T>, buffered: T, run: Run): void {
  const { invocationId } = buffered;
  if (published.get(invocationId)?.ended === false) return;
  published.set(invocationId, buffered);
  void run.done.then(() => {
    if (published.get(invocationId) === buffered) published.delete(invocationId);
  });
}

function findOfSession<T extends Published>(
  published: ReadonlyMap<string, T>,
  ref: SessionRef,
  invocationId: string,
): T | undefined {
  const run = published.get(invocationId);
  const isOfSession =
    run?.ref.appName === ref.appName && run.ref.userId === ref.userId && run.ref.sessionId === ref.sessionId;
  return isOfSession ? run : undefined;
}
