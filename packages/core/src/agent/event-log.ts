import type { Event } from '../event/event.ts';

/**
 * The events of a session as a run sees them. The list only grows until a gap, a rewind or a compaction changes it;
 * then `epoch` changes.
 */
export interface EventLog {
  readonly length: number;
  /** Changes after a gap, a rewind or a compaction. Code that has processed part of the log must then start again. */
  readonly epoch: number;
  at(index: number): Event | undefined;
  [Symbol.iterator](): IterableIterator<Event>;
}
