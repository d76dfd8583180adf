import type { Event, EventLog } from '@thole/core';
import { compactionOf } from './compaction-of.ts';
import { rewindOf } from '@thole/core/kit';

/**
 * The events of a session in memory, ordered by `seq`. `epoch` changes when results from earlier events may no longer be
 * valid: an event was inserted before the end, all events were replaced, or a rewind or a compaction was added. If it is 0,
 * the log contains no rewind and no compaction.
 */
export class SessionLog implements EventLog {
  #events: Event[];
  #epoch = 0;

  constructor(events: Iterable<Event> = []) {
    this.#events = inOrder(events);
    if (this.#events.some(changesEpoch)) this.#epoch = 1;
  }

  get length(): number {
    return this.#events.length;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** `seq` of the newest event; 0 without events. */
  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  at(index: number): Event | undefined {
    return this.#events[index < 0 ? this.#events.length + index : index];
  }

  [Symbol.iterator](): IterableIterator<Event> {
    return this.#events[Symbol.iterator]();
  }

  /** Adds the next event. Ignores an event whose `seq` exists. An event with a lower `seq` is inserted and changes `epoch`. */
  push(event: Event): void {
    if (event.seq !== undefined && event.seq <= this.lastSeq) return this.#insert([event]);
    this.#events.push(event);
    if (changesEpoch(event)) this.#epoch += 1;
  }

  /**
   * Adds missing events, given in any order. If all are newer than the existing events, each is added as by `push`.
   */
  insertMissing(events: Iterable<Event>): void {
    const missing = inOrder(events);
    if (missing.some((event) => event.seq !== undefined && event.seq <= this.lastSeq)) return this.#insert(missing);
    for (const event of missing) this.push(event);
  }

  /** Replaces all events and changes `epoch`. */
  reset(events: Iterable<Event>): void {
    this.#events = inOrder(events);
    this.#epoch += 1;
  }

  #insert(events: readonly Event[]): void {
    const known = new Set(this.#events.map((event) => event.seq));
    const missing = events.filter((event) => event.seq === undefined || !known.has(event.seq));
    if (missing.length > 0) this.reset([...this.#events, ...missing]);
  }
}

const changesEpoch = (event: Event): boolean => rewindOf(event) !== undefined || compactionOf(event) !== undefined;

/** Returns the events sorted by `seq`. Events without one are the newest. */
function inOrder(events: Iterable<Event>): Event[] {
  const list = Array.isArray(events) ? (events as Event[]).slice() : [...events];
  return isInOrder(list) ? list : list.sort((a, b) => (seqOf(a) === seqOf(b) ? 0 : seqOf(a) - seqOf(b)));
}

function isInOrder(list: readonly Event[]): boolean {
  let before = 0;
  for (let i = 0; i < list.length; i++) {
    const seq = seqOf(list[i]!);
    if (seq < before) return false;
    before = seq;
  }
  return true;
}

const seqOf = (event: Event): number => event.seq ?? Number.POSITIVE_INFINITY;
