import type { Event } from '@thole/core';
import { eventFrames } from './event-frames.ts';
import type { LiveRun } from './live-run.ts';
import type { FrameSource } from './sse-response.ts';

/**
 * One reader of a run that goes on by itself. A reader that is so slow that frames it has not had are kept no more gets what was
 * stored meanwhile from the store, without the parts that streamed.
 */
export class LiveRunFrames implements FrameSource {
  readonly #live: LiveRun;
  /** The stored events of the run after a `seq`. */
  readonly #stored: (after: number) => Promise<readonly Event[]>;
  readonly #failed: (error: unknown) => string;
  #index: number;
  #lastSeq: number;
  #left: boolean = false;
  #ended: boolean = false;
  #missedPartials: boolean = false;

  /** From the first frame on, or with `after` from what came after that `seq`. */
  constructor(
    live: LiveRun,
    p: {
      after?: number | undefined;
      stored: (after: number) => Promise<readonly Event[]>;
      failed: (error: unknown) => string;
    },
  ) {
    this.#live = live;
    this.#stored = p.stored;
    this.#failed = p.failed;
    this.#lastSeq = p.after ?? 0;
    // What was stored is read from the store; then the run is followed from where it stands now.
    this.#index = p.after === undefined ? 0 : -1;
  }

  async next(): Promise<string | undefined> {
    try {
      return await this.#next();
    } catch (error) {
      this.#ended = true;
      return this.#failed(error);
    }
  }

  leave(): void {
    this.#left = true;
  }

  async #next(): Promise<string | undefined> {
    for (;;) {
      if (this.#left || this.#ended) return undefined;
      const text = this.#index < 0 ? '' : this.#kept();
      if (text !== '') return text;
      if (this.#index < 0 || this.#live.at(this.#index) === 'gone') {
        const missed = await this.#catchUp();
        if (missed !== '') return missed;
      } else if (this.#live.ended) {
        return undefined;
      } else {
        await this.#live.moved;
      }
    }
  }

  /** All that is kept and was not sent yet. */
  #kept(): string {
    let text = '';
    for (;;) {
      const frame = this.#live.at(this.#index);
      if (frame === undefined || frame === 'gone') return text;
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
    const events = await this.#stored(this.#lastSeq);
    this.#lastSeq = events.at(-1)?.seq ?? this.#lastSeq;
    const index = this.#live.after(this.#lastSeq);
    // Half of what streams would be worse than none: it comes whole with its event.
    this.#missedPartials = index === undefined;
    this.#index = index ?? this.#live.first;
    return events.map((event) => eventFrames(event, { split: true })).join('');
  }
}
