import type { Event } from '../event/event.ts';
import type { SessionRef } from './session.ts';

/** An ability of a session store: returns the events of a session as they are stored. */
export interface EventWatcher {
  /** Yields the stored events after `afterSeq` and then each new one, in order, until the signal is aborted. */
  watch(key: SessionRef, afterSeq: number, signal: AbortSignal): AsyncIterable<Event>;
}
