import type { Event, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import { PartialEventSerializer } from '../http/partial-event-serializer.ts';
import { DONE_FRAME } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';

/** Options of `BufferedRun`. */
export interface BufferedRunOptions {
  ref: SessionRef;
  /** Maximum number of buffered characters. */
  maxChars: number;
  /** True to send an event with parts and artifacts as two frames. */
  split: boolean;
  toErrorFrame: (error: unknown, hasStarted: boolean) => string;
}

/** A run that continues without its clients. Its latest frames are buffered for all readers. */
export class BufferedRun {
  readonly ref: SessionRef;
  /** Resolves after the first event. Rejects if the run fails before it. */
  readonly started: Promise<void>;
  readonly #run: Run;
  readonly #frames: Frame[] = [];
  readonly #maxChars: number;
  #chars: number = 0;
  /** Number of frames that were removed from the buffer. */
  #dropped: number = 0;
  #ended: boolean = false;
  #nextChange: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(run: Run, options: BufferedRunOptions) {
    this.ref = options.ref;
    this.#run = run;
    this.#maxChars = options.maxChars;
    const started = Promise.withResolvers<void>();
    this.started = started.promise;
    started.promise.catch(() => {});
    void this.#read(run, options, started);
  }

  /** Known when the run has started. */
  get invocationId(): string {
    return this.#run.invocationId;
  }

  /** Index of the first buffered frame. */
  get firstIndex(): number {
    return this.#dropped;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the frame with this index. Undefined if it does not exist yet, `'dropped'` if it is no longer buffered. */
  frameAt(index: number): Frame | 'dropped' | undefined {
    return index < this.#dropped ? 'dropped' : this.#frames[index - this.#dropped];
  }

  /**
   * Returns the index at which a reader continues that has all stored events up to `seq`. Undefined if neither the
   * frame of such an event nor the first frame is buffered.
   */
  indexAfter(seq: number): number | undefined {
    for (let i = this.#frames.length - 1; i >= 0; i--) {
      const frame = this.#frames[i]!;
      if (frame.seq !== undefined && frame.seq <= seq) return this.#dropped + i + 1;
    }
    return this.#dropped === 0 ? 0 : undefined;
  }

  /** Resolves at the next frame, and when the run ends. */
  get changed(): Promise<void> {
    return this.#nextChange.promise;
  }

  async #read(
    run: Run,
    { split, toErrorFrame }: BufferedRunOptions,
    started: PromiseWithResolvers<void>,
  ): Promise<void> {
    const partials = new PartialEventSerializer();
    let hasStarted = false;
    try {
      for await (const event of run) {
        if (event.author !== 'user') this.#add(toFrame(event, { split, partials }));
        if (!hasStarted) started.resolve();
        hasStarted = true;
      }
      this.#add({ text: DONE_FRAME });
    } catch (error) {
      // Before the first event the error is sent as a plain response.
      if (!hasStarted) started.reject(error);
      this.#add({ text: toErrorFrame(error, hasStarted) });
    }
    started.resolve();
    this.#ended = true;
    this.#notifyReaders();
  }

  #add(frame: Frame): void {
    this.#frames.push(frame);
    this.#chars += frame.text.length;
    while (this.#chars > this.#maxChars && this.#frames.length > 1) {
      this.#chars -= this.#frames.shift()!.text.length;
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

/** The frames of one event. `seq` is set if the event is stored. */
export interface Frame {
  readonly text: string;
  readonly seq?: number | undefined;
  readonly partial?: boolean | undefined;
}

function toFrame(event: Event, p: { split: boolean; partials: PartialEventSerializer }): Frame {
  const text = eventFrames(event, p);
  return event.partial ? { text, partial: true } : { text, seq: event.seq };
}
