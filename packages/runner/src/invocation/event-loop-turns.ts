import type { Runtime } from '@thole/core';

/** How long a run may keep the event loop to itself. */
const LONGEST_MS = 50;

/** Counts the turns of the event loop that runs of one runner ask for and wait for right now: nothing else is waited for then. */
export interface ForcedTurns {
  count: number;
}

/** Gives the event loop a turn where a run keeps it busy for 50 ms, so that timers, aborts and other requests are heard. */
export class EventLoopTurns {
  readonly #runtime: Runtime;
  readonly #forced: ForcedTurns;
  #lastAt: number;

  constructor(runtime: Runtime, forced: ForcedTurns) {
    this.#runtime = runtime;
    this.#forced = forced;
    this.#lastAt = runtime.monotonic();
  }

  /** A wait of one turn if one is due; undefined if not, or if the runtime has no such wait. */
  next(): Promise<void> | undefined {
    const runtime = this.#runtime;
    if (!runtime.eventLoopTurn || runtime.monotonic() - this.#lastAt < LONGEST_MS) return undefined;
    return this.#wait();
  }

  async #wait(): Promise<void> {
    this.#forced.count++;
    await this.#runtime.eventLoopTurn?.();
    this.#forced.count--;
    this.#lastAt = this.#runtime.monotonic();
  }
}
