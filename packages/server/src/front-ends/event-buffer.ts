import type { Event, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import type { RunOutcome } from './event-encoder.ts';
import { outcomeOf } from './outcome-of.ts';

/** A run that continues without its clients. Its latest events are buffered for all readers. */
export class EventBuffer {
  readonly ref: SessionRef;
  /** Resolves after the first event. Rejects if the run fails before it. */
  readonly started: Promise<void>;
  readonly #run: Run;
  readonly #maxChars: number;
  readonly #events: Event[] = [];
  readonly #sizes: number[] = [];
  #chars: number = 0;
  /** Number of events that were removed from the buffer. */
  #dropped: number = 0;
  #end: RunOutcome | { error: unknown } | undefined;
  #nextChange: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Starts to read the run. */
  constructor(run: Run, p: { ref: SessionRef; maxChars: number }) {
    this.ref = p.ref;
    this.#run = run;
    this.#maxChars = p.maxChars;
    const started = Promise.withResolvers<void>();
    this.started = started.promise;
    started.promise.catch(() => {});
    void this.#read(started);
  }

  /** Known when the run has started. */
  get invocationId(): string {
    return this.#run.invocationId;
  }
  get ended(): boolean {
    return this.#end !== undefined;
  }
  /** The end of the run. Undefined while it is active. */
  get end(): RunOutcome | { error: unknown } | undefined {
    return this.#end;
  }
  /** Index of the first buffered event. */
  get firstIndex(): number {
    return this.#dropped;
  }
  /** Resolves at the next event, and when the run ends. */
  get changed(): Promise<void> {
    return this.#nextChange.promise;
  }

  /** Returns the event with this index. Undefined if it does not exist yet, `'dropped'` if it is no longer buffered. */
  at(index: number): Event | 'dropped' | undefined {
    return index < this.#dropped ? 'dropped' : this.#events[index - this.#dropped];
  }

  /**
   * Returns the index at which a reader continues that has all stored events up to `seq`. Undefined if neither such an
   * event nor the first event is buffered.
   */
  indexAfter(seq: number): number | undefined {
    const index = this.#events.findLastIndex((event) => event.seq !== undefined && event.seq <= seq);
    if (index >= 0) return this.#dropped + index + 1;
    return this.#dropped === 0 ? 0 : undefined;
  }

  async #read(started: PromiseWithResolvers<void>): Promise<void> {
    try {
      for await (const event of this.#run) {
        this.#add(event);
        started.resolve();
      }
      this.#end = await outcomeOf(this.#run);
    } catch (error) {
      started.reject(error);
      this.#end = { error };
    }
    started.resolve();
    this.#notifyReaders();
  }

  #add(event: Event): void {
    const size = JSON.stringify(event.content ?? '').length;
    this.#events.push(event);
    this.#sizes.push(size);
    this.#chars += size;
    while (this.#chars > this.#maxChars && this.#events.length > 1) {
      this.#events.shift();
      this.#chars -= this.#sizes.shift()!;
      this.#dropped++;
    }
    this.#notifyReaders();
  }

  #notifyReaders(): void {
    const { resolve } = this.#nextChange;
    this.#nextChange = Promise.withResolvers();
    resolve();
  }
}
