import { getFunctionCalls } from '@thole/core';
import type { EventLog } from '@thole/core';

/** The ids of all calls in a session, updated as its history grows. */
export class KnownCallIds {
  readonly #ids = new Set<string>();
  #epoch = -1;
  #read = 0;

  in(log: EventLog): ReadonlySet<string> {
    if (log.epoch !== this.#epoch) {
      this.#ids.clear();
      this.#epoch = log.epoch;
      this.#read = 0;
    }
    for (; this.#read < log.length; this.#read++) {
      for (const { id } of getFunctionCalls(log.at(this.#read)!)) if (id !== undefined) this.#ids.add(id);
    }
    return this.#ids;
  }
}
