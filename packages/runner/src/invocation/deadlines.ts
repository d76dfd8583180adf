import { TholeError } from '@thole/core';
import type { CancelTimer, Lease, Runtime } from '@thole/core';
import type { LlmCalls } from '../flow/llm-calls.ts';
import type { LoopRounds } from '../hooks/flow-support.ts';
import { LeaseRenewal } from '../session/lease.ts';
import type { RunTask } from './run-task.ts';

/** Time after which a run that blocks the event loop waits for one turn of it. */
const MAX_BLOCKING_MS = 50;
const MAX_IDLE_ROUNDS = 1_000;

/** The deadlines of one run: its time limit, a reader that takes no events, and the renewal of its lease. */
export class RunDeadlines {
  readonly #task: RunTask;
  #renewal: LeaseRenewal | undefined;
  /** Time after which the run ends without the release of its lease (monotonic ms). */
  #releaseLimit: number = Infinity;
  /** One function for each timer of `after`, which cancels it. */
  #cancels: CancelTimer[] | undefined;

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
   * Calls `work` after this time, unless the run has ended by then. The timer keeps the process running, so a run with a
   * time limit ends with its error, even if the process has nothing else to do.
   */
  after(ms: number, work: () => void): void {
    const cancel = this.#task.runner.runtime.timer(ms, work, { keepAlive: true });
    (this.#cancels ??= []).push(cancel);
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

  /** Cancels the timers of `after`, so that they do not keep the process running. */
  close(): void {
    if (this.#cancels) for (const cancel of this.#cancels) cancel();
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

/** Number of event loop turns that the runs of one runner wait for at the moment. */
export interface ForcedTurns {
  count: number;
}

/** Gives the event loop a turn when a run has blocked it for 50 ms, so that timers, aborts and other requests are handled. */
export class EventLoopTurns {
  readonly #runtime: Runtime;
  readonly #forced: ForcedTurns;
  #lastAt: number;

  constructor(runtime: Runtime, forced: ForcedTurns) {
    this.#runtime = runtime;
    this.#forced = forced;
    this.#lastAt = runtime.monotonic();
  }

  /** Returns a wait for one turn if it is due. Undefined if it is not, or if the runtime has no such wait. */
  next(): Promise<void> | undefined {
    const runtime = this.#runtime;
    if (!runtime.eventLoopTurn || runtime.monotonic() - this.#lastAt < MAX_BLOCKING_MS) return undefined;
    return this.#wait();
  }

  /** Returns a counter for the rounds of one loop agent. */
  loopRounds(agentName: string, calls: LlmCalls): LoopRounds {
    return new IdleRounds({ runtime: this.#runtime, forced: this.#forced, agentName, calls });
  }

  async #wait(): Promise<void> {
    this.#forced.count++;
    await this.#runtime.eventLoopTurn?.();
    this.#forced.count--;
    this.#lastAt = this.#runtime.monotonic();
  }
}

/** Counts the consecutive rounds of a loop without a model call or a wait. A timer shows whether the loop has waited. */
class IdleRounds implements LoopRounds {
  readonly #p: { runtime: Runtime; forced: ForcedTurns; agentName: string; calls: LlmCalls };
  #rounds = 0;
  #callsMade: number;
  #hasWaited = false;
  #cancel: CancelTimer;

  constructor(p: { runtime: Runtime; forced: ForcedTurns; agentName: string; calls: LlmCalls }) {
    this.#p = p;
    this.#callsMade = p.calls.made;
    this.#cancel = this.#startTimer();
  }

  next(): void {
    const { calls, agentName } = this.#p;
    if (calls.made !== this.#callsMade || this.#hasWaited) {
      this.#rounds = 0;
      this.#callsMade = calls.made;
      if (this.#hasWaited) this.#cancel = this.#startTimer();
      this.#hasWaited = false;
    }
    if (this.#rounds++ < MAX_IDLE_ROUNDS) return;
    throw new TholeError(
      'LOOP_LIMIT',
      `Agent ${agentName} ran ${MAX_IDLE_ROUNDS} rounds in a row without a model call or a wait. ` +
        'Set maxIterations, or end the loop with an event that has actions.escalate.',
    );
  }

  close(): void {
    this.#cancel();
  }

  #startTimer(): CancelTimer {
    const { runtime, forced } = this.#p;
    return runtime.timer(0, () => {
      // A turn that `EventLoopTurns` has forced is not a wait of the loop.
      if (forced.count > 0) this.#cancel = this.#startTimer();
      else this.#hasWaited = true;
    });
  }
}
