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
  readonly #open = new Set<C>();
  #timer: CancelTimer | undefined;

  constructor(runtime: Runtime, timeoutMs: number, fail: (call: C) => void) {
    this.#fail = fail;
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
  }

  begin(call: C): void {
    this.#open.add(call);
    this.#timer ??= this.#runtime.timer(this.#timeoutMs, () => this.#failExpired());
  }

  /** Removes a call. Returns true if it was still in progress. */
  end(call: C): boolean {
    const wasOpen = this.#open.delete(call);
    if (this.#open.size === 0) {
      this.#timer?.();
      this.#timer = undefined;
    }
    return wasOpen;
  }

  #failExpired(): void {
    this.#timer = undefined;
    const now = this.#runtime.monotonic();
    for (const call of this.#open) {
      const left = call.startedAt + this.#timeoutMs - now;
      if (left > 0) {
        this.#timer = this.#runtime.timer(left, () => this.#failExpired());
        return;
      }
      this.#open.delete(call);
      this.#fail(call);
    }
  }
}
