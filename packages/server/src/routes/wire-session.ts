import type { Session, SessionSummary } from '@thole/core';
import { wireEvent } from '../http/wire-event.ts';

/** A session as clients get it; one of a list has no events, and says so with an empty array, which ADK's web UI reads. */
export function wireSession(session: Session | SessionSummary): Session {
  const events = 'events' in session ? session.events.map(wireEvent) : [];
  return { ...session, events };
}
