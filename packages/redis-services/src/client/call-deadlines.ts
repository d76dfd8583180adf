import type { CancelTimer, Runtime } from '@thole/core';

/** A call in progress. */
export interface TimedCall {
  /** Start of the call on the monotonic clock, in milliseconds. */
  readonly startedAt: number;
}

/**
 * Fails calls that exceed the time limit. All calls have the same limit, so one timer for the oldest call is enough. There is no timer while
 * no call is in progress.
 */
export class CallDeadlines<C extends TimedCall> {
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #fail: (call: C) => void;
  readonly #openCalls = new Set<C>();
  #timer: CancelTimer | undefined;
  /** Start of the call for which the timer runs. */
  #timedStart = Infinity;

  constructor(runtime: Runtime, timeoutMs: number, fail: (call: C) => void) {
    this.#fail = fail;
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
  }

  begin(call: C): void {
    this.#openCalls.add(call);
    this.#startTimer(call.startedAt);
  }

  /** Removes a call. Returns true if it was still in progress. */
  end(call: C): boolean {
    const wasOpen = this.#openCalls.delete(call);
    if (this.#openCalls.size === 0) this.#stopTimer();
    return wasOpen;
  }

  #failExpired(): void {
    this.#stopTimer();
    const latestStart = this.#runtime.monotonic() - this.#timeoutMs;
    for (const call of this.#openCalls) {
      if (call.startedAt > latestStart) {
        this.#startTimer(call.startedAt);
      } else {
        this.#openCalls.delete(call);
        this.#fail(call);
      }
    }
  }

  /** Starts the timer for a call, unless it runs for an older call. A call that continues another call may be older than those before it. */
  #startTimer(startedAt: number): void {
    if (startedAt >= this.#timedStart) return;
    this.#stopTimer();
    this.#timedStart = startedAt;
    const remainingMs = startedAt + this.#timeoutMs - this.#runtime.monotonic();
    this.#timer = this.#runtime.timer(Math.max(0, remainingMs), () => this.#failExpired());
  }

  #stopTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#timedStart = Infinity;
  }
}
