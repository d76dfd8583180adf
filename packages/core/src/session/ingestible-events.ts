import { applyRewinds } from '../event/apply-rewinds.ts';
import type { Event } from '../event/event.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Session } from './session.ts';

/** Returns the events of a session that belong in memory: events that are neither rewound nor copied from another session. */
export function ingestibleEvents({ events, forkedFrom }: Pick<Session, 'events' | 'forkedFrom'>): readonly Event[] {
  // If a value is not an event, the caller rejects it later.
  const visible = events.every(isPlainObject) ? applyRewinds(events) : events;
  if (!forkedFrom) return visible;
  return visible.filter((event) => (event.seq ?? Infinity) > forkedFrom.copiedEvents);
}
