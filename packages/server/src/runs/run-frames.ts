import type { Event } from '@thole/core';
import type { Run } from '@thole/runner';
import { DONE_FRAME, errorFrame } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';

/** A run as its own client reads it: the run goes on when the client has taken what it said, and ends when the client leaves. */
export class RunFrames implements FrameSource {
  readonly #run: Run;
  readonly #split: boolean;
  #first: IteratorResult<Event> | undefined;
  #ended: boolean = false;

  constructor(run: Run, p: { first: IteratorResult<Event>; split: boolean }) {
    this.#run = run;
    this.#first = p.first;
    this.#split = p.split;
  }

  async next(): Promise<string | undefined> {
    if (this.#ended) return undefined;
    try {
      for (;;) {
        const { done, value } = this.#first ?? (await this.#run.next());
        this.#first = undefined;
        if (done) return this.#end(DONE_FRAME);
        if (value.author !== 'user') return eventFrames(value, { split: this.#split });
      }
    } catch (error) {
      return this.#end(errorFrame(error));
    }
  }

  leave(): void {
    this.#ended = true;
    void this.#run.return?.();
  }

  #end(frame: string): string {
    this.#ended = true;
    return frame;
  }
}
