import type { Event, Runtime } from '@thole/core';

/**
 * Between a run and whoever reads it: a queue that knows when the reader asks for more. What is handed over with `pushAndWait`
 * lets the run go on when the reader, having taken it, asks for the next.
 */
export class Reader {
  /** By the monotonic clock: since when the reader has something and has not asked for more. */
  idleSince: number = Infinity;
  readonly #queue: Entry[] = [];
  readonly #runtime: Runtime;
  #taken: Entry | undefined;
  #asking: { resolve(result: IteratorResult<Event>): void; reject(error: unknown): void } | undefined;
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

  /** Resolves when the reader asks for the event after this one. */
  pushAndWait(event: Event): Promise<void> {
    return new Promise((goOn) => this.#add({ event, goOn }));
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
    if (this.#end) return this.#finish(this.#end);
    this.idleSince = Infinity;
    return new Promise((resolve, reject) => (this.#asking = { resolve, reject }));
  }

  /** Nothing more comes. What is queued can still be read; then the error is thrown, once. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    const asking = this.#asking;
    this.#asking = undefined;
    if (!asking) return;
    this.#finish(this.#end).then(
      (result) => asking.resolve(result),
      (thrown: unknown) => asking.reject(thrown),
    );
  }

  /** The reader has left: what is queued, and what still comes, is for nobody. */
  leave(): void {
    this.#queue.length = 0;
    this.#left = true;
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

  #finish(end: { error?: unknown }): Promise<IteratorResult<Event>> {
    if (!('error' in end)) return Promise.resolve({ value: undefined, done: true });
    const { error } = end;
    this.#end = {};
    return Promise.reject(error as Error);
  }
}

interface Entry {
  readonly event: Event;
  goOn?(): void;
}
