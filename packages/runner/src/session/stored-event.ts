import { createEvent } from '@thole/core';
import type { Event } from '@thole/core';
import type { LiveSession } from './live-session.ts';

/**
 * Returns what became of an event that was yielded to a caller who answered nothing: the stored event with its id, or, if there
 * is none, an event that says and does nothing. A partial event is returned unchanged.
 */
export function storedAs(live: LiveSession, event: Event): Event {
  return event.partial || event.seq !== undefined ? event : (live.findById(event.id) ?? emptyEvent(event));
}

/** What the agent goes on with when a plugin dropped its event: as if it had said and done nothing. */
export function emptyEvent(event: Event): Event {
  return createEvent({
    id: event.id,
    author: event.author,
    invocationId: event.invocationId,
    timestamp: event.timestamp,
  });
}
