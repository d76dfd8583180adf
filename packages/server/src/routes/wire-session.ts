import { createEventActions } from '@thole/core';
import type { Event, Session, SessionSummary } from '@thole/core';
import { withoutNulls } from '../edge/without-nulls.ts';

/** A session as clients get it; one of a list has no events, and says so with an empty array, which ADK's web UI reads. */
export function wireSession(session: Session | SessionSummary): Session {
  const events = 'events' in session ? session.events.map(wireEvent) : [];
  return { ...session, events };
}

/** An event as clients get it: its actions have their four maps. */
export function wireEvent(event: Event): Event {
  return withoutNulls({ ...event, actions: createEventActions(event.actions) });
}
