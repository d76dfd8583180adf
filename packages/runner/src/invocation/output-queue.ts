import type { Event, Runtime } from '@thole/core';

/**
 * Between a run and whoever reads it: a queue that knows when the reader asks for more. What is handed over with `pushAndWait`
 * lets the run go on when the reader, having taken it, asks for the next.
 */
export class OutputQueue {
  /** By the monotonic clock: since when the reader has something and has not asked for more. */
  idleSince: number = Infinity;
  readonly #queue: Entry[] = [];
  readonly #runtime: Runtime;
  #taken: Entry | undefined;
  #asking: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #end: { error?: unknown } | undefined;
  #left: boolean = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Whether a `next()` waits for an answer. */
  get asking(): boolean {
    return this.#asking !== undefined;
  }

  push(event: Event): void {
    this.#add({ event });
  }

  /** Resolves when the reader asks for the event after this one; at once where it has left. */
  pushAndWait(event: Event): Promise<void> {
    if (this.#left) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#add({ event, goOn: resolve });
    return promise;
  }

  next(): Promise<IteratorResult<Event>> {
    const before = this.#taken;
    this.#taken = undefined;
    before?.goOn?.();
    const entry = this.#queue.shift();
    if (entry) {
      this.#take(entry);
      return Promise.resolve({ value: entry.event, done: false });
    }
    if (this.#end) {
      const asked = Promise.withResolvers<IteratorResult<Event>>();
      this.#finish(asked);
      return asked.promise;
    }
    this.idleSince = Infinity;
    return (this.#asking = Promise.withResolvers()).promise;
  }

  /** Nothing more comes. What is queued can still be read; then the error is thrown, once. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    const asking = this.#asking;
    this.#asking = undefined;
    if (asking) this.#finish(asking);
  }

  /** The event that the reader took last, while it has not asked for another. */
  get taken(): Event | undefined {
    return this.#taken?.event;
  }

  /** The reader has left: what is queued, and what still comes, is for nobody, and nothing waits for it. */
  leave(): void {
    const waiting = [this.#taken, ...this.#queue];
    this.#queue.length = 0;
    this.#taken = undefined;
    this.#left = true;
    this.idleSince = Infinity;
    for (const entry of waiting) entry?.goOn?.();
  }

  #add(entry: Entry): void {
    if (this.#left) return;
    const asking = this.#asking;
    if (!asking) {
      this.#queue.push(entry);
      if (this.idleSince === Infinity) this.idleSince = this.#runtime.monotonic();
      return;
    }
    this.#asking = undefined;
    this.#take(entry);
    asking.resolve({ value: entry.event, done: false });
  }

  #take(entry: Entry): void {
    this.#taken = entry;
    this.idleSince = this.#runtime.monotonic();
  }

  #finish(asked: PromiseWithResolvers<IteratorResult<Event>>): void {
    const end = this.#end!;
    this.#end = {};
    if ('error' in end) asked.reject(end.error);
    else asked.resolve({ value: undefined, done: true });
  }
}

interface Entry {
  readonly event: Event;
  goOn?(): void;
}
