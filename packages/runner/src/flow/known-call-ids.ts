import { getFunctionCalls } from '@thole/core';
import type { EventLog, FunctionCall } from '@thole/core';

/** The ids of all calls in a session, updated as its history grows. */
export class KnownCallIds {
  readonly #ids = new Set<string>();
  #epoch = -1;
  #count = 0;

  /** Returns the ids of all calls in the log. Reads only new events unless its epoch has changed. */
  read(log: EventLog): ReadonlySet<string> {
    if (log.epoch !== this.#epoch) {
      this.#ids.clear();
      this.#epoch = log.epoch;
      this.#count = 0;
    }
    for (; this.#count < log.length; this.#count++) {
      for (const { id } of getFunctionCalls(log.at(this.#count)!)) if (id !== undefined) this.#ids.add(id);
    }
    return this.#ids;
  }

  /** Adds the ids of calls that are not stored yet, so that a concurrent branch does not use them. */
  add(calls: readonly FunctionCall[]): void {
    for (const { id } of calls) if (id !== undefined) this.#ids.add(id);
  }
}
