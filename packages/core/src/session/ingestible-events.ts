import { applyRewinds } from '../event/apply-rewinds.ts';
import type { Event } from '../event/event.ts';
import type { Session } from './session.ts';

/** Returns the events of a session that belong in memory: those that are neither rewound nor copied from another session. */
export function ingestibleEvents({ events, forkedFrom }: Pick<Session, 'events' | 'forkedFrom'>): readonly Event[] {
  const visible = applyRewinds(events);
  if (!forkedFrom) return visible;
  return visible.filter((event) => (event.seq ?? Infinity) > forkedFrom.copiedEvents);
}
