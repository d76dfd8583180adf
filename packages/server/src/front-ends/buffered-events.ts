import type { Event } from '@thole/core';
import type { RunFailure, RunOutcome } from './event-encoder.ts';
import type { EventBuffer } from './event-buffer.ts';
import type { RunEvents } from './run-events.ts';

/**
 * The events of a buffered run from the start of its invocation. A slow reader may need events that
 * the buffer has dropped. It gets the stored events instead, without partial events.
 */
export class BufferedEvents implements RunEvents {
  readonly #buffer: EventBuffer;
  /** Returns the stored events of the invocation after a `seq`. */
  readonly #readStored: (after: number) => Promise<readonly Event[]>;
  /** Index of the next buffered event. -1: the stored events are read first. */
  #index: number;
  #lastSeq: number = 0;
  #stored: Event[] = [];
  #isClosed: boolean = false;
  #missedPartials: boolean = false;

  /** With `fromBuffer` the reader begins with this run. Otherwise it begins with the stored events of the invocation. */
  constructor(
    buffer: EventBuffer,
    p: { fromBuffer: boolean; readStored: (after: number) => Promise<readonly Event[]> },
  ) {
    this.#buffer = buffer;
    this.#readStored = p.readStored;
    this.#index = p.fromBuffer ? 0 : -1;
  }

  async next(): Promise<IteratorResult<Event, RunOutcome | RunFailure>> {
    for (;;) {
      const stored = this.#stored.shift();
      if (stored) return { done: false, value: stored };
      const event = this.#index < 0 ? 'dropped' : this.#buffer.at(this.#index);
      if (event === 'dropped') {
        await this.#catchUp();
      } else if (event) {
        this.#index++;
        if (this.#isNews(event)) return { done: false, value: event };
      } else if (this.#buffer.end) {
        const { end } = this.#buffer;
        if ('error' in end) throw end.error;
        return { done: true, value: end };
      } else {
        await this.#buffer.changed;
        // A reader that has left waits for nothing.
        if (this.#isClosed) return new Promise(() => {});
      }
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #isNews(event: Event): boolean {
    if (event.partial) return !this.#missedPartials;
    this.#missedPartials = false;
    if (event.seq === undefined) return true;
    if (event.seq <= this.#lastSeq) return false;
    this.#lastSeq = event.seq;
    return true;
  }

  async #catchUp(): Promise<void> {
    this.#stored = [...(await this.#readStored(this.#lastSeq))];
    this.#lastSeq = this.#stored.at(-1)?.seq ?? this.#lastSeq;
    const index = this.#buffer.indexAfter(this.#lastSeq);
    // The rest of a stream is useless without its beginning. The complete event follows.
    this.#missedPartials = index === undefined;
    this.#index = index ?? this.#buffer.firstIndex;
  }
}
