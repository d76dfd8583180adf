import type { CancelTimer, Runtime } from '../runtime/runtime.ts';

/** Tells when a wait took too long. Cheap to begin and end: one timer serves many waits. */
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

  /** From now on, until `heard` or `end`, it may be silent for this long. */
  wait(limitMs: number): void {
    this.#since = this.#runtime.monotonic();
    if (limitMs !== this.#limitMs) this.#stop();
    this.#limitMs = limitMs;
    this.#cancel ??= this.#checkIn(limitMs);
  }

  /** The wait is over. */
  heard(): void {
    this.#since = undefined;
  }

  /** Nothing is waited for any more. */
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
