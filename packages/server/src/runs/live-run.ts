import type { Event, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import { PartialJson } from '../http/partial-json.ts';
import { DONE_FRAME } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';

/** A run that goes on whoever reads it. The last of what it said is kept for its readers, up to a number of characters. */
export class LiveRun {
  readonly ref: SessionRef;
  readonly invocationId: string;
  /** What comes first, or why nothing does. Rejects when the run ends before it has begun. */
  readonly begun: Promise<void>;
  readonly #frames: Frame[] = [];
  readonly #mostChars: number;
  #chars: number = 0;
  /** How many frames there were before those that are kept. */
  #dropped: number = 0;
  #ended: boolean = false;
  #waiting: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(
    run: Run,
    p: { ref: SessionRef; mostChars: number; split: boolean; failed: (error: unknown, hasBegun: boolean) => string },
  ) {
    this.ref = p.ref;
    this.invocationId = run.invocationId;
    this.#mostChars = p.mostChars;
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    begun.promise.catch(() => {});
    void this.#read(run, p, begun);
  }

  /** The number of the first frame that is kept. */
  get first(): number {
    return this.#dropped;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The frame of this number; undefined where it has not come yet, `'gone'` where it is kept no more. */
  at(index: number): Frame | 'gone' | undefined {
    return index < this.#dropped ? 'gone' : this.#frames[index - this.#dropped];
  }

  /**
   * From where a reader goes on that has what was stored up to a `seq`: after the last frame of it that is kept, or from the
   * beginning; undefined where neither is kept.
   */
  after(seq: number): number | undefined {
    for (let i = this.#frames.length - 1; i >= 0; i--) {
      const frame = this.#frames[i]!;
      if (frame.seq !== undefined && frame.seq <= seq) return this.#dropped + i + 1;
    }
    return this.#dropped === 0 ? 0 : undefined;
  }

  /** Resolves when something new is there, or the run has ended. */
  get moved(): Promise<void> {
    return this.#waiting.promise;
  }

  async #read(
    run: Run,
    { split, failed }: { split: boolean; failed: (error: unknown, hasBegun: boolean) => string },
    begun: PromiseWithResolvers<void>,
  ): Promise<void> {
    const partials = new PartialJson();
    let hasBegun = false;
    try {
      for await (const event of run) {
        if (event.author !== 'user') this.#add(frameOf(event, { split, partials }));
        if (!hasBegun) begun.resolve();
        hasBegun = true;
      }
      this.#add({ text: DONE_FRAME });
    } catch (error) {
      // Before the run has begun there is a plain answer to give.
      if (!hasBegun) begun.reject(error);
      this.#add({ text: failed(error, hasBegun) });
    }
    begun.resolve();
    this.#ended = true;
    this.#move();
  }

  #add(frame: Frame): void {
    this.#frames.push(frame);
    this.#chars += frame.text.length;
    while (this.#chars > this.#mostChars && this.#frames.length > 1) {
      this.#chars -= this.#frames.shift()!.text.length;
      this.#dropped++;
    }
    this.#move();
  }

  #move(): void {
    const { resolve } = this.#waiting;
    this.#waiting = Promise.withResolvers();
    resolve();
  }
}

/** What a run said once; with its `seq` where it is stored. */
export interface Frame {
  readonly text: string;
  readonly seq?: number | undefined;
  readonly partial?: boolean | undefined;
}

function frameOf(event: Event, p: { split: boolean; partials: PartialJson }): Frame {
  const text = eventFrames(event, p);
  return event.partial ? { text, partial: true } : { text, seq: event.seq };
}
