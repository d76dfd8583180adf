import type { Event, Runtime } from '@thole/core';

/** Queue of events between a run and its reader. */
export class OutputQueue {
  /** Since when the reader has an event and has not requested the next (monotonic ms). `Infinity` if it waits or has left. */
  idleSince: number = Infinity;
  readonly #queue: Entry[] = [];
  readonly #runtime: Runtime;
  /** The entry that the reader has taken last and still works on. */
  #current: Entry | undefined;
  /** The `next()` call that waits for an event. */
  #request: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #end: { error?: unknown } | undefined;
  #hasLeft: boolean = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** True if a `next()` call waits for an event. */
  get isRequested(): boolean {
    return this.#request !== undefined;
  }

  /** The event that the reader has taken last, until it requests the next. */
  get currentEvent(): Event | undefined {
    return this.#current?.event;
  }

  push(event: Event): void {
    this.#add({ event });
  }

  /** Resolves when the reader requests the event after this one, or leaves. */
  pushAndWait(event: Event): Promise<void> {
    if (this.#hasLeft) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#add({ event, done: resolve });
    return promise;
  }

  next(): Promise<IteratorResult<Event>> {
    const previous = this.#current;
    this.#current = undefined;
    previous?.done?.();
    const entry = this.#queue.shift();
    if (entry) {
      this.#take(entry);
      return Promise.resolve({ value: entry.event, done: false });
    }
    if (this.#end) {
      const request = Promise.withResolvers<IteratorResult<Event>>();
      this.#settle(request);
      return request.promise;
    }
    this.idleSince = Infinity;
    return (this.#request = Promise.withResolvers()).promise;
  }

  /** Ends the queue. The reader gets the queued events, and then the error, once. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    const request = this.#request;
    this.#request = undefined;
    if (request) this.#settle(request);
  }

  /** Drops all queued and later events. Nothing waits for the reader any more. */
  leave(): void {
    const waiting = [this.#current, ...this.#queue];
    this.#queue.length = 0;
    this.#current = undefined;
    this.#hasLeft = true;
    this.idleSince = Infinity;
    for (const entry of waiting) entry?.done?.();
  }

  #add(entry: Entry): void {
    if (this.#hasLeft) return;
    const request = this.#request;
    if (!request) {
      this.#queue.push(entry);
      if (this.idleSince === Infinity) this.idleSince = this.#runtime.monotonic();
      return;
    }
    this.#request = undefined;
    this.#take(entry);
    request.resolve({ value: entry.event, done: false });
  }

  #take(entry: Entry): void {
    this.#current = entry;
    this.idleSince = this.#runtime.monotonic();
  }

  #settle(request: PromiseWithResolvers<IteratorResult<Event>>): void {
    const end = this.#end!;
    this.#end = {};
    if ('error' in end) request.reject(end.error);
    else request.resolve({ value: undefined, done: true });
  }
}

interface Entry {
  readonly event: Event;
  /** Called when the reader has finished with the event. */
  done?(): void;
}
