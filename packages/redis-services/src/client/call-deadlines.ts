import type { CancelTimer, Runtime } from '@thole/core';

/** A call in progress. */
export interface TimedCall {
  /** Start of the call on the monotonic clock, in milliseconds. */
  readonly startedAt: number;
}

/**
 * Fails calls that exceed the time limit. All calls have the same limit, so the oldest call is the next to time out, and one timer is
 * enough. There is no timer while no call is in progress.
 */
export class CallDeadlines<C extends TimedCall> {
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #fail: (call: C) => void;
  // A Set keeps the order of insertion.
  readonly #openCalls = new Set<C>();
  #timer: CancelTimer | undefined;

  constructor(runtime: Runtime, timeoutMs: number, fail: (call: C) => void) {
    this.#fail = fail;
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
  }

  begin(call: C): void {
    this.#openCalls.add(call);
    this.#timer ??= this.#runtime.timer(this.#timeoutMs, () => this.#failExpired());
  }

  /** Removes a call. Returns true if it was still in progress. */
  end(call: C): boolean {
    const wasOpen = this.#openCalls.delete(call);
    if (this.#openCalls.size === 0) {
      this.#timer?.();
      this.#timer = undefined;
    }
    return wasOpen;
  }

  #failExpired(): void {
    this.#timer = undefined;
    const now = this.#runtime.monotonic();
    for (const call of this.#openCalls) {
      const remainingMs = call.startedAt + this.#timeoutMs - now;
      if (remainingMs > 0) {
        this.#timer = this.#runtime.timer(remainingMs, () => this.#failExpired());
        return;
      }
      this.#openCalls.delete(call);
      this.#fail(call);
    }
  }
}
