import type { Event, Runtime } from '@thole/core';
import type { Run } from '@thole/runner';
import { PartialJson } from '../http/partial-json.ts';
import { DONE_FRAME } from './end-frames.ts';
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
  readonly #partials: PartialJson = new PartialJson();
  readonly #split: boolean;
  readonly #runtime: Runtime;
  readonly #failed: (error: unknown) => string;
  /** Whether the run was asked for its next event. */
  #isAsking: boolean = false;
  #text: string = '';
  /** Whether what is there goes out before the run is asked for more. */
  #isFull: boolean = false;
  #isTurning: boolean = false;
  #ended: boolean = false;
  #waiting: PromiseWithResolvers<string | undefined> | undefined;

  constructor(
    run: Run,
    p: { first: IteratorResult<Event>; split: boolean; runtime: Runtime; failed: (error: unknown) => string },
  ) {
    this.#run = run;
    this.#split = p.split;
    this.#runtime = p.runtime;
    this.#failed = p.failed;
    this.#take(p.first);
  }

  /** Whether there is nothing more to come. */
  get ended(): boolean {
    return this.#ended;
  }

  // Not a loop that awaits: each part of an answer would have to wait for several promises instead of one.
  next(): Promise<string | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#ended || this.#isFull) this.#give();
    else this.#goOn();
    return promise;
  }

  leave(): void {
    this.#ended = true;
    void this.#run.return?.();
  }

  #goOn(): void {
    if (this.#text !== '') this.#giveWithThisTurn();
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#run.next().then(this.#take, this.#fail);
  }

  readonly #take = (result: IteratorResult<Event>): void => {
    this.#isAsking = false;
    if (result.done) {
      this.#end(DONE_FRAME);
      // The user's own event is not told.
    } else if (result.value.author !== 'user') {
      this.#text += eventFrames(result.value, { split: this.#split, partials: this.#partials });
      const hasCall = result.value.content?.parts?.some((part) => part.functionCall) ?? false;
      this.#isFull = hasCall || this.#text.length >= MOST_AT_ONCE || !this.#runtime.afterMicrotasks;
    }
    if (!this.#waiting) return;
    if (this.#ended || this.#isFull) this.#give();
    else this.#goOn();
  };

  readonly #fail = (error: unknown): void => {
    this.#end(this.#failed(error));
    this.#give();
  };

  #end(frame: string): void {
    this.#text += frame;
    this.#ended = true;
  }

  #giveWithThisTurn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    void this.#runtime.afterMicrotasks!().then(() => {
      this.#isTurning = false;
      if (this.#text !== '') this.#give();
    });
  }

  #give(): void {
    const text = this.#text;
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.#text = '';
    this.#isFull = false;
    waiting.resolve(text === '' ? undefined : text);
  }
}
