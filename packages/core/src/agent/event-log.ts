import type { Event } from '../event/event.ts';

/** The events of a session as a run sees them: only ever longer, until something reorders it and `epoch` moves. */
export interface EventLog {
  readonly length: number;
  /** Another number after a gap, a rewind or a compaction: whoever folds over the log starts anew. */
  readonly epoch: number;
  at(index: number): Event | undefined;
  [Symbol.iterator](): IterableIterator<Event>;
}
