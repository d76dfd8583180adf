import type { Event } from '@thole/core';
import type { Run } from '@thole/runner';
import type { RunFailure, RunOutcome } from './event-encoder.ts';
import { outcomeOf } from './outcome-of.ts';
import type { RunEvents } from './run-events.ts';

/** The events of a run that has only this reader. A slow reader slows down the run. The run ends when the reader disconnects. */
export class AttachedEvents implements RunEvents {
  readonly #run: Run;
  #first: IteratorResult<Event> | undefined;
  #last: Event | undefined;

  constructor(run: Run, first: IteratorResult<Event>) {
    this.#run = run;
    this.#first = first;
  }

  async next(): Promise<IteratorResult<Event, RunOutcome | RunFailure>> {
    const result = this.#first ?? (await this.#run.next());
    this.#first = undefined;
    if (result.done) return { done: true, value: await outcomeOf(this.#run, this.#last) };
    this.#last = result.value;
    return result;
  }

  close(): void {
    void this.#run.return?.();
  }
}
