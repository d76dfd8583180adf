import { TholeError } from '@thole/core';
import type { Runtime, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import type { Limits } from '../limits.ts';
import type { LiveRun } from './live-run.ts';

/** The runs that go on in this process: how many there may be, which can be followed, and how they end when the server does. */
export class LiveRuns {
  readonly #limits: Limits;
  readonly #runtime: Runtime;
  readonly #runs: Set<Run> = new Set();
  readonly #live: Map<string, LiveRun> = new Map();
  #draining: boolean = false;
  #closing: boolean = false;

  constructor(p: { limits: Limits; runtime: Runtime }) {
    this.#limits = p.limits;
    this.#runtime = p.runtime;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Whether new work had better go elsewhere. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Says so, and waits while it is heard. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    if (ms > 0) await this.#runtime.sleep(ms);
  }

  /** `SERVER_BUSY` where no further run may begin. */
  check(): void {
    if (this.#closing) throw new TholeError('SERVER_BUSY', 'The server is about to close.');
    if (this.#runs.size >= this.#limits.concurrentRuns)
      throw new TholeError(
        'SERVER_BUSY',
        `The server runs ${this.#limits.concurrentRuns} runs already, all that it may.`,
      );
  }

  /** Counts a run until it has closed. */
  add(run: Run): void {
    this.#runs.add(run);
    void run.done.then(() => this.#runs.delete(run));
  }

  /** Lets a run be followed until it has ended. */
  show(live: LiveRun, run: Run): void {
    this.#live.set(live.invocationId, live);
    void run.done.then(() => this.#live.delete(live.invocationId));
  }

  /** The run of this session that can be followed here. */
  find(ref: SessionRef, invocationId: string): LiveRun | undefined {
    const live = this.#live.get(invocationId);
    const isOfSession =
      live?.ref.appName === ref.appName && live.ref.userId === ref.userId && live.ref.sessionId === ref.sessionId;
    return isOfSession ? live : undefined;
  }

  /** Lets runs end by themselves for so long, then aborts them and waits for what they store at their end. */
  async close(timeoutMs: number): Promise<void> {
    this.#draining = true;
    this.#closing = true;
    const over = new AbortController();
    const all = Promise.all([...this.#runs].map((run) => run.done)).then(() => over.abort());
    await this.#runtime.sleep(timeoutMs, over.signal).catch(() => {});
    for (const run of this.#runs) run.abort('The server closes.');
    await all;
  }
}
