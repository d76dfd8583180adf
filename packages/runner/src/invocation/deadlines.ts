import type { CancelTimer, Runtime } from '@thole/core';

/** Something with limits that pass by themselves. */
export interface HasDeadline {
  /** Does what is due and answers when to look again (monotonic ms); Infinity for never. */
  sweep(now: number): number;
}

/** One timer for the limits of all runs of a runner: a listener and a timer for each event would cost more than the run. */
export class DeadlineTimer {
  readonly #runtime: Runtime;
  readonly #runs = new Set<HasDeadline>();
  #timer: { at: number; cancel: CancelTimer } | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  add(run: HasDeadline): void {
    this.#runs.add(run);
    this.#lookAt(run.sweep(this.#runtime.monotonic()));
  }

  remove(run: HasDeadline): void {
    this.#runs.delete(run);
  }

  /** Looks no more: the runner is closed. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #lookAt(at: number): void {
    if (at === Infinity || (this.#timer && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    const cancel = this.#runtime.timer(Math.max(0, at - this.#runtime.monotonic()), () => this.#look());
    this.#timer = { at, cancel };
  }

  // With nothing to watch the timer is left to run out: the next run is likely to begin before it does.
  #look(): void {
    this.#timer = undefined;
    const now = this.#runtime.monotonic();
    let next = Infinity;
    for (const run of [...this.#runs]) next = Math.min(next, run.sweep(now));
    this.#lookAt(next);
  }
}
