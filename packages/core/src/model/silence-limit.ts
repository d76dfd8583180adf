import type { CancelTimer, Runtime } from '../runtime/runtime.ts';

/** Calls `onSilence` when a wait exceeds its limit. One timer serves many waits, so starting and ending a wait is cheap. */
export class SilenceLimit {
  readonly #runtime: Runtime;
  readonly #onSilence: (limitMs: number) => void;
  #cancel: CancelTimer | undefined;
  #since: number | undefined;
  #limitMs = 0;

  constructor(runtime: Runtime, onSilence: (limitMs: number) => void) {
    this.#runtime = runtime;
    this.#onSilence = onSilence;
  }

  /** Starts a wait of at most `limitMs`, until `received` or `end` is called. */
  wait(limitMs: number): void {
    this.#since = this.#runtime.monotonic();
    if (limitMs !== this.#limitMs) this.#stop();
    this.#limitMs = limitMs;
    this.#cancel ??= this.#checkIn(limitMs);
  }

  /** Ends the wait. */
  received(): void {
    this.#since = undefined;
  }

  /** Ends the wait and releases the timer. */
  end(): void {
    this.#since = undefined;
    this.#stop();
  }

  #check(): void {
    this.#cancel = undefined;
    if (this.#since === undefined) return;
    const leftMs = this.#since + this.#limitMs - this.#runtime.monotonic();
    if (leftMs > 0) this.#cancel = this.#checkIn(leftMs);
    else this.#onSilence(this.#limitMs);
  }

  #checkIn(ms: number): CancelTimer {
    return this.#runtime.timer(ms, () => this.#check());
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
