import type { Event } from '@thole/core';
import type { BufferedRun } from './buffered-run.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';

/**
 * A reader of a run that continues without its clients. If the reader is so slow that frames it needs are no longer
 * buffered, it gets the stored events instead, without partial events.
 */
export class BufferedRunReader implements FrameSource {
  readonly #run: BufferedRun;
  /** Returns the stored events of the run after a `seq`. */
  readonly #readStored: (after: number) => Promise<readonly Event[]>;
  readonly #toErrorFrame: (error: unknown) => string;
  /** Index of the next frame. -1: the stored events are read first. */
  #index: number;
  #lastSeq: number;
  #isClosed: boolean = false;
  #hasFailed: boolean = false;
  #missedPartials: boolean = false;

  /** Without `after` the reader starts with the first frame, otherwise after the event with this `seq`. */
  constructor(
    run: BufferedRun,
    p: {
      after?: number | undefined;
      readStored: (after: number) => Promise<readonly Event[]>;
      toErrorFrame: (error: unknown) => string;
    },
  ) {
    this.#run = run;
    this.#readStored = p.readStored;
    this.#toErrorFrame = p.toErrorFrame;
    this.#lastSeq = p.after ?? 0;
    this.#index = p.after === undefined ? 0 : -1;
  }

  async next(): Promise<string | undefined> {
    try {
      return await this.#next();
    } catch (error) {
      this.#hasFailed = true;
      return this.#toErrorFrame(error);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #next(): Promise<string | undefined> {
    for (;;) {
      if (this.#isClosed || this.#hasFailed) return undefined;
      const text = this.#index < 0 ? '' : this.#takeBuffered();
      if (text !== '') return text;
      if (this.#index < 0 || this.#run.frameAt(this.#index) === 'dropped') {
        const missed = await this.#catchUp();
        if (missed !== '') return missed;
      } else if (this.#run.ended) {
        return undefined;
      } else {
        await this.#run.changed;
      }
    }
  }

  /** Returns all buffered frames that were not sent yet. */
  #takeBuffered(): string {
    let text = '';
    for (;;) {
      const frame = this.#run.frameAt(this.#index);
      if (frame === undefined || frame === 'dropped') return text;
      this.#index++;
      if (frame.partial && this.#missedPartials) continue;
      if (frame.seq !== undefined) {
        this.#missedPartials = false;
        if (frame.seq <= this.#lastSeq) continue;
        this.#lastSeq = frame.seq;
      }
      text += frame.text;
    }
  }

  async #catchUp(): Promise<string> {
    const events = await this.#readStored(this.#lastSeq);
    this.#lastSeq = events.at(-1)?.seq ?? this.#lastSeq;
    const index = this.#run.indexAfter(this.#lastSeq);
    // The rest of a stream is useless without its beginning. The complete event follows.
    this.#missedPartials = index === undefined;
    this.#index = index ?? this.#run.firstIndex;
    return events.map((event) => eventFrames(event, { split: true })).join('');
  }
}
