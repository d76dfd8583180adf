import type { Event } from '@thole/core';
import type { RunFailure, RunOutcome } from './event-encoder.ts';

/** The events of one run, for one reader. */
export interface RunEvents {
  /**
   * Returns the next event. After the last event, returns the end of the run. Rejects with the error of a run or of the store.
   */
  next(): Promise<IteratorResult<Event, RunOutcome | RunFailure>>;
  /** Called when the reader has disconnected. A pending `next` may stay pending. */
  close(): void;
}
