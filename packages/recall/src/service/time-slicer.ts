import type { Runtime } from '@thole/core';

/** Length of a slice in milliseconds, after which other work of the event loop can run. */
const SLICE_MS = 10;

/** Long work in small steps. Each `yield` is a point at which the work can be paused. */
export type Steps<T> = Generator<undefined, T>;

/** Splits long work into slices, so that it does not block the event loop. */
export class TimeSlicer {
  readonly #runtime: Runtime;
  /** Start of the current slice by the monotonic clock. */
  #start: number;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#start = runtime.monotonic();
  }

  /** True if the current slice has ended, so that the caller should await `pause`. */
  get isSliceOver(): boolean {
    return this.#runtime.monotonic() - this.#start >= SLICE_MS;
  }

  /** Lets other work of the event loop run. */
  async pause(): Promise<void> {
    await this.#runtime.eventLoopTurn?.();
    this.#start = this.#runtime.monotonic();
  }

  /** Runs all steps with pauses and returns their result. Stops and returns undefined when `isWanted` returns false. */
  async run<T>(steps: Steps<T>, isWanted: () => boolean = () => true): Promise<T | undefined> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      if (this.isSliceOver) await this.pause();
      if (!isWanted()) return undefined;
    }
  }
}

/** Runs all steps without a pause and returns their result. */
export function runAllSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
