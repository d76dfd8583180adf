import type { Event, Runtime } from '@thole/core';
import type { Run } from '@thole/runner';
import { PartialEventSerializer } from '../http/partial-event-serializer.ts';
import { frameAfter } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';

/** Maximum characters of one chunk of the stream. */
const MAX_CHUNK_CHARS = 16 * 1024;

/**
 * The only reader of a run. The run continues when the client has read its events, and ends when the client disconnects. Events
 * of the same event loop turn are sent as one chunk. A function call is sent before the next event is requested, because the tool
 * then starts to run.
 */
export class AttachedRunReader implements FrameSource {
  readonly #run: Run;
  readonly #partials: PartialEventSerializer = new PartialEventSerializer();
  readonly #split: boolean;
  readonly #runtime: Runtime;
  readonly #toErrorFrame: (error: unknown) => string;
  /** True while `run.next()` is pending. */
  #isReading: boolean = false;
  #text: string = '';
  /** True if the collected frames must be sent before the next event is requested. */
  #isFull: boolean = false;
  #isFlushScheduled: boolean = false;
  #ended: boolean = false;
  #last: Event | undefined;
  #pending: PromiseWithResolvers<string | undefined> | undefined;

  constructor(
    run: Run,
    p: { first: IteratorResult<Event>; split: boolean; runtime: Runtime; toErrorFrame: (error: unknown) => string },
  ) {
    this.#run = run;
    this.#split = p.split;
    this.#runtime = p.runtime;
    this.#toErrorFrame = p.toErrorFrame;
    this.#take(p.first);
  }

  /** True if no further frames follow. */
  get ended(): boolean {
    return this.#ended;
  }

  // Callbacks instead of a loop with `await`: each partial event then waits for one promise instead of several.
  next(): Promise<string | undefined> {
    this.#pending = Promise.withResolvers();
    const { promise } = this.#pending;
    if (this.#ended || this.#isFull) this.#flush();
    else this.#readMore();
    return promise;
  }

  close(): void {
    this.#ended = true;
    void this.#run.return?.();
  }

  #readMore(): void {
    if (this.#text !== '') this.#flushAfterMicrotasks();
    if (this.#isReading) return;
    this.#isReading = true;
    this.#run.next().then(this.#take, this.#fail);
  }

  readonly #take = (result: IteratorResult<Event>): void => {
    this.#isReading = false;
    if (result.done) {
      this.#end(frameAfter(this.#last));
      return this.#pending && this.#flush();
    }
    this.#last = result.value;
    // The event of the user's message is not sent.
    if (result.value.author !== 'user') {
      this.#text += eventFrames(result.value, { split: this.#split, partials: this.#partials });
      const hasCall = result.value.content?.parts?.some((part) => part.functionCall) ?? false;
      this.#isFull = hasCall || this.#text.length >= MAX_CHUNK_CHARS || !this.#runtime.afterMicrotasks;
    }
    if (!this.#pending) return;
    if (this.#isFull) this.#flush();
    else this.#readMore();
  };

  readonly #fail = (error: unknown): void => {
    this.#end(this.#toErrorFrame(error));
    this.#flush();
  };

  #end(frame: string): void {
    this.#text += frame;
    this.#ended = true;
  }

  #flushAfterMicrotasks(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    void this.#runtime.afterMicrotasks!().then(() => {
      this.#isFlushScheduled = false;
      if (this.#text !== '') this.#flush();
    });
  }

  #flush(): void {
    const text = this.#text;
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = undefined;
    this.#text = '';
    this.#isFull = false;
    pending.resolve(text === '' ? undefined : text);
  }
}
