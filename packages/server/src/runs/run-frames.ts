import { getFunctionCalls } from '@thole/core';
import type { Event, Runtime } from '@thole/core';
import type { Run } from '@thole/runner';
import { DONE_FRAME, errorFrame } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';

/** Characters that are sent at once at most. */
const MOST_AT_ONCE = 16 * 1024;

/**
 * A run as its own client reads it: the run goes on when the client has taken what it said, and ends when the client leaves. What a
 * run says within one turn of the event loop is sent at once; past a call it is not asked before the call has been sent.
 */
export class RunFrames implements FrameSource {
  readonly #run: Run;
  readonly #split: boolean;
  readonly #runtime: Runtime;
  #coming: Promise<IteratorResult<Event>> | undefined;
  #ended: boolean = false;

  constructor(run: Run, p: { first: IteratorResult<Event>; split: boolean; runtime: Runtime }) {
    this.#run = run;
    this.#split = p.split;
    this.#runtime = p.runtime;
    // The user's own event is not told.
    if (!isUsers(p.first)) this.#coming = Promise.resolve(p.first);
  }

  /** Whether there is nothing more to come. */
  get ended(): boolean {
    return this.#ended;
  }

  async next(): Promise<string | undefined> {
    if (this.#ended) return undefined;
    let text = '';
    let turn: Promise<void> | undefined;
    try {
      for (;;) {
        const coming = (this.#coming ??= this.#run.next());
        const result = await (turn ? Promise.race([coming, turn]) : coming);
        if (result === undefined) {
          coming.catch(() => {});
          return text;
        }
        this.#coming = undefined;
        if (result.done) return this.#end(text + DONE_FRAME);
        if (isUsers(result)) continue;
        text += eventFrames(result.value, { split: this.#split });
        if (text.length >= MOST_AT_ONCE || getFunctionCalls(result.value).length > 0) return text;
        if (!this.#runtime.turnOver) return text;
        turn ??= this.#runtime.turnOver();
      }
    } catch (error) {
      return this.#end(text + errorFrame(error));
    }
  }

  leave(): void {
    this.#ended = true;
    void this.#run.return?.();
  }

  #end(text: string): string {
    this.#ended = true;
    return text;
  }
}

function isUsers(result: IteratorResult<Event>): boolean {
  return !result.done && result.value.author === 'user';
}
