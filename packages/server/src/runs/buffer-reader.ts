import type { Event } from '@thole/core';
import type { RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import type { RunBuffer } from './run-buffer.ts';

/** Options of `BufferReader`. */
export interface BufferReaderOptions<T> {
  /** The reader starts after the event with this `seq`. Default: with the first entry of the buffer. */
  after?: number | undefined;
  /** Returns the stored events of the invocation after a `seq`. */
  readStored: (after: number) => Promise<readonly Event[]>;
  toValue: (event: Event) => T;
}

/**
 * One reader of a run that continues without its clients. If a slow reader needs entries that the buffer has dropped, it reads
 * the stored events instead, without partial events.
 */
export class BufferReader<T> {
  readonly #buffer: RunBuffer<T>;
  readonly #options: BufferReaderOptions<T>;
  /** Index of the next entry. -1 if the stored events are read first. */
  #index: number;
  #lastSeq: number;
  /** Stored events that are sent before the buffered entries, newest first. They are encoded when they are sent, to use less memory. */
  #stored: Event[] = [];
  #isClosed: boolean = false;
  #missedPartials: boolean = false;

  constructor(buffer: RunBuffer<T>, options: BufferReaderOptions<T>) {
    this.#buffer = buffer;
    this.#options = options;
    this.#lastSeq = options.after ?? 0;
    this.#index = options.after === undefined ? 0 : -1;
  }

  /**
   * Returns the next value, or the end after the last one. Undefined if the reader has to wait for it. Throws the error of the
   * run after its last value.
   */
  take(): IteratorResult<T, RunOutcome | RunFailure> | undefined {
    const stored = this.#stored.pop();
    if (stored !== undefined) return { done: false, value: this.#options.toValue(stored) };
    if (this.#index < 0) return undefined;
    for (;;) {
      const entry = this.#buffer.at(this.#index);
      if (entry === 'dropped') return undefined;
      if (!entry) break;
      this.#index++;
      if (entry.partial && this.#missedPartials) continue;
      if (!entry.partial) this.#missedPartials = false;
      if (entry.seq !== undefined) {
        if (entry.seq <= this.#lastSeq) continue;
        this.#lastSeq = entry.seq;
      }
      return { done: false, value: entry.value };
    }
    const { end } = this.#buffer;
    if (!end) return undefined;
    if ('error' in end) throw end.error;
    return { done: true, value: end };
  }

  /** Returns the same as `take`, but waits for the next value. Rejects with the error of the run or of the store. */
  async next(): Promise<IteratorResult<T, RunOutcome | RunFailure>> {
    for (;;) {
      const result = this.take();
      if (result) return result;
      if (this.#index < 0 || this.#buffer.at(this.#index) === 'dropped') await this.#catchUp();
      else await this.#buffer.changed;
      // A closed reader receives no further values.
      if (this.#isClosed) return new Promise(() => {});
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #catchUp(): Promise<void> {
    const events = await this.#options.readStored(this.#lastSeq);
    this.#stored = events.toReversed();
    this.#lastSeq = events.at(-1)?.seq ?? this.#lastSeq;
    const index = this.#buffer.indexAfter(this.#lastSeq);
    // The remaining partial events of an answer are useless without the first ones. The complete event follows.
    this.#missedPartials = index === undefined;
    this.#index = index ?? this.#buffer.firstIndex;
  }
}
