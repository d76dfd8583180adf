import { raceAbort } from '@thole/core/kit';

/** Lets so much work run at once; the rest waits in line, each with its own signal. */
export class ConcurrencyLimiter {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next) next();
      else this.#free++;
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    let begin = (): void => {};
    const turn = new Promise<void>((resolve) => (begin = resolve));
    this.#line.push(begin);
    try {
      await raceAbort(turn, signal);
    } catch (error) {
      const place = this.#line.indexOf(begin);
      if (place >= 0) this.#line.splice(place, 1);
      // The turn came at the same moment: it is handed on.
      else if (this.#line.length > 0) this.#line.shift()!();
      else this.#free++;
      throw error;
    }
  }
}
