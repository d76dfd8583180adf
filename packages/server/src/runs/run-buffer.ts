import type { Event, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import type { RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { outcomeOf } from '../front-ends/outcome-of.ts';

/** A buffered event: the event, or its frames. */
export interface BufferEntry<T> {
  readonly value: T;
  /** Size in characters. */
  readonly chars: number;
  /** `seq` of a stored event. */
  readonly seq?: number | undefined;
  readonly partial?: boolean | undefined;
}

/** Options of `RunBuffer`. */
export interface RunBufferOptions<T> {
  ref: SessionRef;
  /** Maximum number of buffered characters. */
  maxChars: number;
  /** Returns the entry of an event. Undefined for an event that is not sent to readers. */
  toEntry: (event: Event) => BufferEntry<T> | undefined;
  /** Called with the error of the run. */
  onError: (error: unknown, p: { hasStarted: boolean }) => void;
}

/** The buffer of a run that continues without its clients. It keeps the latest events for all readers. */
export class RunBuffer<T> {
  readonly ref: SessionRef;
  /** Resolves after the first event. Rejects if the run fails before it. */
  readonly started: Promise<void>;
  readonly #run: Run;
  readonly #options: RunBufferOptions<T>;
  readonly #entries: BufferEntry<T>[] = [];
  #chars: number = 0;
  /** Number of entries that were removed from the buffer. */
  #dropped: number = 0;
  #end: RunOutcome | RunFailure | { error: unknown } | undefined;
  #nextChange: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Starts to read the run. */
  constructor(run: Run, options: RunBufferOptions<T>) {
    this.ref = options.ref;
    this.#run = run;
    this.#options = options;
    const started = Promise.withResolvers<void>();
    this.started = started.promise;
    started.promise.catch(() => {});
    void this.#read(started);
  }

  /** Set after the run has started. */
  get invocationId(): string {
    return this.#run.invocationId;
  }
  get ended(): boolean {
    return this.#end !== undefined;
  }
  /** The end of the run. Undefined while it is active. */
  get end(): RunOutcome | RunFailure | { error: unknown } | undefined {
    return this.#end;
  }
  /** Index of the first buffered entry. */
  get firstIndex(): number {
    return this.#dropped;
  }
  /** Resolves at the next entry, and when the run ends. */
  get changed(): Promise<void> {
    return this.#nextChange.promise;
  }

  /** Returns the entry with this index. Undefined if it does not exist yet, `'dropped'` if it is no longer buffered. */
  at(index: number): BufferEntry<T> | 'dropped' | undefined {
    return index < this.#dropped ? 'dropped' : this.#entries[index - this.#dropped];
  }

  /**
   * Returns the index of the first entry for a reader that has all stored events up to `seq`. Undefined if entries between may
   * have been dropped.
   */
  indexAfter(seq: number): number | undefined {
    const index = this.#entries.findLastIndex((entry) => entry.seq !== undefined && entry.seq <= seq);
    if (index >= 0) return this.#dropped + index + 1;
    return this.#dropped === 0 ? 0 : undefined;
  }

  async #read(started: PromiseWithResolvers<void>): Promise<void> {
    const { onError, toEntry } = this.#options;
    let hasStarted = false;
    let last: Event | undefined;
    try {
      for await (const event of this.#run) {
        last = event;
        const entry = toEntry(event);
        if (entry) this.#add(entry);
        if (!hasStarted) started.resolve();
        hasStarted = true;
      }
      this.#end = await outcomeOf(this.#run, last);
    } catch (error) {
      // Without a first event, the caller of `started` receives the error and sends it as a plain response.
      started.reject(error);
      this.#end = { error };
      onError(error, { hasStarted });
    }
    started.resolve();
    this.#notifyReaders();
  }

  #add(entry: BufferEntry<T>): void {
    this.#entries.push(entry);
    this.#chars += entry.chars;
    while (this.#chars > this.#options.maxChars && this.#entries.length > 1) {
      this.#chars -= this.#entries.shift()!.chars;
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
