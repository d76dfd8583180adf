import type { Runtime } from '@thole/core';

/** Longest piece of work in milliseconds before other work gets its turn. */
const SLICE_MS = 20;

/** Cuts long work into pieces, so that it does not block the event loop. */
export class TurnTaking {
  readonly #runtime: Runtime;
  #begin: number;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#begin = runtime.monotonic();
  }

  /** True once the current piece has taken long enough; then await `pause`. */
  get isDue(): boolean {
    return this.#runtime.monotonic() - this.#begin >= SLICE_MS;
  }

  /** Lets other work of the event loop run. */
  async pause(): Promise<void> {
    await this.#runtime.sleep(0);
    this.#begin = this.#runtime.monotonic();
  }
}
