import type { Session, SessionSummary } from '@thole/core';
import { wireEvent } from '../http/wire-event.ts';

/** A session as clients get it. */
export type WireSession = Omit<Session, 'initialState' | 'marks'>;

/** Returns a session as clients get it. In a list, `events` is an empty array: ADK's web UI reads it. */
export function wireSession(session: Session | SessionSummary): WireSession {
  const { initialState: _, marks: __, ...members } = session as Session;
  const events = 'events' in session ? session.events.map(wireEvent) : [];
  return { ...members, events };
}
