import type { Session, SessionSummary } from '@thole/core';
import { wireEvent } from '../http/wire-event.ts';

/** Returns a session as clients get it. In a list, `events` is an empty array: ADK's web UI reads it. */
export function wireSession(session: Session | SessionSummary): Session {
  const events = 'events' in session ? session.events.map(wireEvent) : [];
  return { ...session, events };
}
