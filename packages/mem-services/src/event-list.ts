import type { Event, EventWindow } from '@thole/core';

/** Maximum number of events without an index by id. For short sessions, an index costs more than a search. */
const MAX_UNINDEXED = 16;

/** The events of a session. Reading a window copies only its events. */
export class EventList {
  readonly #events: Event[] = [];
  /** `seq` of the event before the first one. */
  readonly #startSeq: number;
  #indexOf: Map<string, number> | undefined;
  // Events are ordered by `seq`. A late clock of a writer makes times decrease. If they never do, binary search finds a time.
  #timesAscend = true;

  /** `lastSeq` is the `seq` of the last event, or of the last event that was pruned. */
  constructor(events: readonly Event[], lastSeq: number) {
    this.#startSeq = lastSeq - events.length;
    for (const event of events) this.push(event);
  }

  get lastSeq(): number {
    return this.#startSeq + this.#events.length;
  }

  /** Id of the newest event. Undefined without events. */
  get lastId(): string | undefined {
    return this.#events.at(-1)?.id;
  }

  /** Returns the first `limit` events with a higher `seq`. */
  readAfter(seq: number, limit: number): Event[] {
    const first = this.#indexAfter(seq);
    return this.#events.slice(first, first + limit);
  }

  find(id: string): Event | undefined {
    if (!this.#indexOf) return this.#events.find((event) => event.id === id);
    const index = this.#indexOf.get(id);
    return index === undefined ? undefined : this.#events[index];
  }

  push(event: Event): void {
    const last = this.#events.at(-1);
    if (last && event.timestamp < last.timestamp) this.#timesAscend = false;
    const index = this.#events.push(event) - 1;
    if (this.#indexOf) this.#indexOf.set(event.id, index);
    else if (index >= MAX_UNINDEXED) this.#indexOf = new Map(this.#events.map(({ id }, i) => [id, i]));
  }

  /** Returns the events of the window in a new array. The filters apply before `numRecentEvents`. */
  read(window: EventWindow): Event[] {
    const { afterSeq = 0, afterTimestamp, numRecentEvents } = window;
    const start = this.#indexAfter(afterSeq);
    const limit = numRecentEvents ?? this.#events.length;
    if (afterTimestamp === undefined || this.#timesAscend) {
      const first = Math.max(start, afterTimestamp === undefined ? 0 : this.#findFirstSince(afterTimestamp));
      return this.#events.slice(Math.max(first, this.#events.length - limit));
    }
    const found: Event[] = [];
    for (let i = this.#events.length - 1; i >= start && found.length < limit; i--) {
      const event = this.#events[i]!;
      if (event.timestamp >= afterTimestamp) found.push(event);
    }
    return found.reverse();
  }

  /** Returns the index of the first event with a higher `seq`. */
  #indexAfter(seq: number): number {
    return Math.max(0, seq - this.#startSeq);
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
