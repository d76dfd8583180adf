import { TholeError } from '@thole/core';
import type { CancelTimer, Lease, Runtime } from '@thole/core';
import type { LlmCalls } from '../flow/llm-calls.ts';
import type { LoopRounds } from '../hooks/flow-support.ts';
import { LeaseRenewal } from '../session/lease.ts';
import type { RunTask } from './run-task.ts';

/** Time in milliseconds for which a run may block the event loop. Then it waits for one turn of the event loop. */
const MAX_BLOCKING_MS = 50;
const MAX_IDLE_ROUNDS = 1_000;

/** The deadlines of one run: its time limit, the idle limit of its reader, and the renewal of its lease. */
export class RunDeadlines {
  readonly #task: RunTask;
  #renewal: LeaseRenewal | undefined;
  /** Time at which the run ends even if its lease is not released (monotonic ms). */
  #releaseLimit: number = Infinity;
  /** Cancels the timers of `after`. */
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
   * Calls `work` after this time in milliseconds, unless the run has ended. The timer keeps the process alive: a run with a time
   * limit ends with its error even if the process has nothing else to do.
   */
  after(ms: number, work: () => void): void {
    const cancel = this.#task.runner.runtime.timer(ms, work, { keepAlive: true });
    (this.#cancels ??= []).push(cancel);
  }

  /** Renews this lease from now on. Undefined: no lease. */
  renewLease(lease: Lease | undefined): void {
    this.#renewal = lease && new LeaseRenewal(this.#task, lease);
  }

  /** Sets the time at which the run ends even if its lease is not released. */
  limitRelease(at: number): void {
    this.#releaseLimit = at;
  }

  /** Handles the deadlines that have passed. Returns the time of the next check. All times are monotonic. */
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

/** One timer for the deadlines of all runs of a runner. One timer per event would cost more than the run. */
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

/** Number of runs of one runner that now wait for a turn of the event loop. */
export interface ForcedTurns {
  count: number;
}

/** Waits for a turn of the event loop when a run has blocked it for 50 ms, so that timers, aborts and other requests are handled. */
export class EventLoopTurns {
  readonly #runtime: Runtime;
  readonly #forced: ForcedTurns;
  #lastAt: number;

  constructor(runtime: Runtime, forced: ForcedTurns) {
    this.#runtime = runtime;
    this.#forced = forced;
    this.#lastAt = runtime.monotonic();
  }

  /** Resolves after one turn of the event loop. Undefined if no turn is due, or if the runtime has no `eventLoopTurn`. */
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

/** Counts the consecutive rounds of a loop without a model call or a wait. If a timer of 0 ms has fired, the loop has waited. */
class IdleRounds implements LoopRounds {
  readonly #p: { runtime: Runtime; forced: ForcedTurns; agentName: string; calls: LlmCalls };
  #rounds = 0;
  #callsMade: number;
  #hasWaited = false;
  #cancel: CancelTimer;

  constructor(p: { runtime: Runtime; forced: ForcedTurns; agentName: string; calls: LlmCalls }) {
    this.#p = p;
    this.#callsMade = p.calls.callCount;
    this.#cancel = this.#startTimer();
  }

  next(): void {
    const { calls, agentName } = this.#p;
    if (calls.callCount !== this.#callsMade || this.#hasWaited) {
      this.#rounds = 0;
      this.#callsMade = calls.callCount;
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
