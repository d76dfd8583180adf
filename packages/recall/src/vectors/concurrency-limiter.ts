import { raceAbort } from '@thole/core/kit';

/** Runs at most N tasks at the same time. Other tasks wait in a queue; each can be aborted by its signal. */
export class ConcurrencyLimiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs the work when there is a free place. Rejects with the signal's reason if it is aborted while waiting. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    this.#waiting.push(start);
    try {
      await raceAbort(started, signal);
    } catch (error) {
      const index = this.#waiting.indexOf(start);
      if (index >= 0) this.#waiting.splice(index, 1);
      // The place became free at the same moment: the next task gets it.
      else if (this.#waiting.length > 0) this.#waiting.shift()!();
      else this.#free++;
      throw error;
    }
  }
}
