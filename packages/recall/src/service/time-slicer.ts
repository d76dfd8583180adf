import type { Runtime } from '@thole/core';

/** Longest piece of work in milliseconds before other work gets its turn. */
const SLICE_MS = 20;

/** Long work in small steps: each `yield` is a place where it may be interrupted. */
export type Steps<T> = Generator<undefined, T>;

/** Cuts long work into slices, so that it does not block the event loop. */
export class TimeSlicer {
  readonly #runtime: Runtime;
  #begin: number;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#begin = runtime.monotonic();
  }

  /** True once the current slice has taken long enough; then await `pause`. */
  get isSliceOver(): boolean {
    return this.#runtime.monotonic() - this.#begin >= SLICE_MS;
  }

  /** Lets other work of the event loop run. */
  async pause(): Promise<void> {
    await this.#runtime.eventLoopTurn?.();
    this.#begin = this.#runtime.monotonic();
  }

  /** Does all steps, with pauses. Returns undefined once `isWanted` is false. */
  async run<T>(steps: Steps<T>, isWanted: () => boolean = () => true): Promise<T | undefined> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      if (this.isSliceOver) await this.pause();
      if (!isWanted()) return undefined;
    }
  }
}

/** Does all steps at once. */
export function runAllSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
