import type { Event, EventWindow } from '@thole/core';

/** Up to so many events an id is looked for one by one: most sessions are short, and an index costs more than they do. */
const SHORT = 16;

/** The events of one session: the event of `seq` n stands at n - 1. Windows cost what they hold, not what they leave out. */
export class EventList {
  readonly #events: Event[] = [];
  #seqOf: Map<string, number> | undefined;
  // Order is `seq`; a writer's clock may be behind. As long as none was, a time is found by halving.
  #timesAscend = true;

  constructor(events: readonly Event[] = []) {
    for (const event of events) this.push(event);
  }

  get length(): number {
    return this.#events.length;
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
    else if (seq > SHORT) this.#seqOf = new Map(this.#events.map(({ id }, i) => [id, i + 1]));
  }

  /** First the filter, then the tail; an array of its own. */
  read(window: EventWindow): Event[] {
    const { afterSeq = 0, afterTimestamp, numRecentEvents } = window;
    const most = numRecentEvents ?? this.#events.length;
    if (afterTimestamp === undefined || this.#timesAscend) {
      const first = Math.max(afterSeq, afterTimestamp === undefined ? 0 : this.#firstFrom(afterTimestamp));
      return this.#events.slice(Math.max(first, this.#events.length - most));
    }
    const found: Event[] = [];
    for (let i = this.#events.length - 1; i >= afterSeq && found.length < most; i--) {
      const event = this.#events[i]!;
      if (event.timestamp >= afterTimestamp) found.push(event);
    }
    return found.reverse();
  }

  #firstFrom(timestamp: number): number {
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
