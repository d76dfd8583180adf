import { TholeError } from '@thole/core';
import type { CancelTimer, Lease, Runtime } from '@thole/core';
import { LeaseRenewal } from '../session/lease.ts';
import type { RunTask } from './run-task.ts';

/** The deadlines of one run: its time limit, a reader that takes no events, and the renewal of its lease. */
export class RunDeadlines {
  readonly #task: RunTask;
  #renewal: LeaseRenewal | undefined;
  /** Time after which the run ends without the release of its lease (monotonic ms). */
  #releaseLimit: number = Infinity;
  /** Aborted when the run has ended, which ends the sleeps of `after`. */
  #sleeps: AbortController | undefined;

  constructor(task: RunTask) {
    this.#task = task;
  }

  /** Starts the run's time limit, if it has one. */
  start(): void {
    const { invocationId, runConfig } = this.#task;
    const limitMs = runConfig.timeLimitMs;
    if (limitMs === undefined) return;
    this.after(limitMs, () =>
      this.#task.stop(new TholeError('RUN_TIME_LIMIT', `Invocation ${invocationId} took longer than ${limitMs} ms.`)),
    );
  }

  /**
   * Calls `work` after this time, unless the run has ended by then. A sleep keeps the process alive, so a run with a time
   * limit ends with its error, even if the process has nothing else to do.
   */
  after(ms: number, work: () => void): void {
    this.#sleeps ??= new AbortController();
    this.#task.runner.runtime.sleep(ms, this.#sleeps.signal).then(work, noop);
  }

  /** Renews this lease from now on. */
  renewLease(lease: Lease): void {
    this.#renewal = new LeaseRenewal(this.#task, lease);
  }

  /** Ends the run at this time, although its lease is not released. */
  limitRelease(at: number): void {
    this.#releaseLimit = at;
  }

  /** Handles the deadlines that have passed. Returns when to check again. Both are times of the monotonic clock. */
  check(now: number): number {
    if (this.#task.state.phase === 'open') return this.#checkOpen(now);
    if (now >= this.#releaseLimit) this.#task.finish();
    return this.#task.isDone ? Infinity : this.#releaseLimit;
  }

  /** Ends the sleeps, so that they do not keep the process alive. */
  close(): void {
    this.#sleeps?.abort('closed');
  }

  #checkOpen(now: number): number {
    const { attached, invocationId, output, runConfig } = this.#task;
    const limitMs = attached ? (runConfig.idleLimitMs ?? 300_000) : Infinity;
    const abandonedAt = Math.min(output.idleSince, now) + limitMs;
    if (output.idleSince <= now && now >= abandonedAt) {
      this.#task.stop(
        new TholeError('RUN_ABANDONED', `The reader of invocation ${invocationId} took no event for ${limitMs} ms.`),
      );
      return Infinity;
    }
    const renewAt = this.#renewal?.check(now) ?? Infinity;
    return this.#task.state.error ? Infinity : Math.min(abandonedAt, renewAt);
  }
}

/** One timer for the deadlines of all runs of a runner. A timer and a listener per event would cost more than the run. */
export class DeadlineTimer {
  readonly #runtime: Runtime;
  readonly #tasks = new Set<RunTask>();
  #timer: { at: number; cancel: CancelTimer } | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  add(task: RunTask): void {
    this.#tasks.add(task);
    this.#checkAt(task.deadlines.check(this.#runtime.monotonic()));
  }

  remove(task: RunTask): void {
    this.#tasks.delete(task);
  }

  /** Cancels the timer. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #checkAt(at: number): void {
    if (at === Infinity || (this.#timer && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    const cancel = this.#runtime.timer(Math.max(0, at - this.#runtime.monotonic()), () => this.#checkAll());
    this.#timer = { at, cancel };
  }

  // A timer without tasks is not cancelled: the next run probably begins before it fires.
  #checkAll(): void {
    this.#timer = undefined;
    const now = this.#runtime.monotonic();
    let next = Infinity;
    for (const task of [...this.#tasks]) next = Math.min(next, task.deadlines.check(now));
    this.#checkAt(next);
  }
}

function noop(): void {}
