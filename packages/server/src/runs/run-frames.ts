import type { Event } from '@thole/core';
import type { Run } from '@thole/runner';
import { DONE_FRAME, errorFrame } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';

/** A run as its own client reads it: the run goes on when the client has taken what it said, and ends when the client leaves. */
export class RunFrames implements FrameSource {
  readonly #run: Run;
  readonly #split: boolean;
  #coming: Promise<IteratorResult<Event>> | undefined;
  #ended: boolean = false;

  constructor(run: Run, p: { first: IteratorResult<Event>; split: boolean }) {
    this.#run = run;
    this.#split = p.split;
    // The user's own event is not told: the run need not wait until the client asks for what follows it.
    this.#coming = isUsers(p.first) ? run.next() : Promise.resolve(p.first);
    this.#coming.catch(() => {});
  }

  async next(): Promise<string | undefined> {
    if (this.#ended) return undefined;
    try {
      for (;;) {
        const result = await (this.#coming ?? this.#run.next());
        this.#coming = undefined;
        if (result.done) return this.#end(DONE_FRAME);
        if (!isUsers(result)) return eventFrames(result.value, { split: this.#split });
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

function isUsers(result: IteratorResult<Event>): boolean {
  return !result.done && result.value.author === 'user';
}
