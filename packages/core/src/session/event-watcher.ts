import type { Event } from '../event/event.ts';
import type { SessionRef } from './session.ts';

/** An ability of a session store: events as they are stored, from a `seq` on, until the signal is aborted (the iterable then just ends). */
export interface EventWatcher {
  watch(key: SessionRef, afterSeq: number, signal: AbortSignal): AsyncIterable<Event>;
}
