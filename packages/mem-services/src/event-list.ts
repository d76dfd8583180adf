import type { Event, EventWindow } from '@thole/core';

/** Maximum number of events without an index by id. For short sessions, an index costs more than a search. */
const MAX_UNINDEXED = 16;

/** The events of a session. The event with `seq` n has the index n - 1. Reading a window copies only its events. */
export class EventList {
  readonly #events: Event[] = [];
  #seqOf: Map<string, number> | undefined;
  // Events are ordered by `seq`. A late clock of a writer makes times decrease. If they never do, binary search finds a time.
  #timesAscend = true;

  constructor(events: readonly Event[] = []) {
    for (const event of events) this.push(event);
  }

  get length(): number {
    return this.#events.length;
  }

  /** Id of the newest event. Undefined without events. */
  get lastId(): string | undefined {
    return this.#events.at(-1)?.id;
  }

  slice(start: number, end: number): Event[] {
    return this.#events.slice(start, end);
  }

  find(id: string): Event | undefined {
    if (!this.#seqOf) return this.#events.find((event) => event.id === id);
    const seq = this.#seqOf.get(id);
    return seq === undefined ? undefined : this.#events[seq - 1];
  }

  push(event: Event): void {
    const last = this.#events.at(-1);
    if (last && event.timestamp < last.timestamp) this.#timesAscend = false;
    const seq = this.#events.push(event);
    if (this.#seqOf) this.#seqOf.set(event.id, seq);
    else if (seq > MAX_UNINDEXED) this.#seqOf = new Map(this.#events.map(({ id }, i) => [id, i + 1]));
  }

  /** Returns the events of the window in a new array. The filters apply before `numRecentEvents`. */
  read(window: EventWindow): Event[] {
    const { afterSeq = 0, afterTimestamp, numRecentEvents } = window;
    const limit = numRecentEvents ?? this.#events.length;
    if (afterTimestamp === undefined || this.#timesAscend) {
      const first = Math.max(afterSeq, afterTimestamp === undefined ? 0 : this.#findFirstSince(afterTimestamp));
      return this.#events.slice(Math.max(first, this.#events.length - limit));
    }
    const found: Event[] = [];
    for (let i = this.#events.length - 1; i >= afterSeq && found.length < limit; i--) {
      const event = this.#events[i]!;
      if (event.timestamp >= afterTimestamp) found.push(event);
    }
    return found.reverse();
  }

  #findFirstSince(timestamp: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.timestamp < timestamp) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
