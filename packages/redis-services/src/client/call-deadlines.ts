import type { CancelTimer, Runtime } from '@thole/core';

/** A call that is under way. */
export interface TimedCall {
  /** When it began, by the monotonic clock. */
  readonly began: number;
}

/**
 * Ends calls that take too long. All may take equally long, so the eldest is the next to end: one timer serves them all, and
 * none is left when no call is under way.
 */
export class CallDeadlines<C extends TimedCall> {
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #fail: (call: C) => void;
  // Sets keep the order of insertion.
  readonly #open = new Set<C>();
  #timer: CancelTimer | undefined;

  constructor(runtime: Runtime, timeoutMs: number, fail: (call: C) => void) {
    this.#fail = fail;
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
  }

  begin(call: C): void {
    this.#open.add(call);
    this.#timer ??= this.#runtime.timer(this.#timeoutMs, () => this.#sweep());
  }

  /** Whether it was still under way. */
  end(call: C): boolean {
    const wasOpen = this.#open.delete(call);
    if (this.#open.size === 0) {
      this.#timer?.();
      this.#timer = undefined;
    }
    return wasOpen;
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#runtime.monotonic();
    for (const call of this.#open) {
      const left = call.began + this.#timeoutMs - now;
      if (left > 0) {
        this.#timer = this.#runtime.timer(left, () => this.#sweep());
        return;
      }
      this.#open.delete(call);
      this.#fail(call);
    }
  }
}
