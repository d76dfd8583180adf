import type { Session, SessionSummary } from '@thole/core';
import { wireEvent } from '../http/wire-event.ts';

/** A session in the form that clients receive. */
export type WireSession = Omit<Session, 'initialState' | 'marks'>;

/** Returns a session in the form that clients receive. In a list, `events` is an empty array, because ADK's web UI needs one. */
export function wireSession(session: Session | SessionSummary): WireSession {
  const { initialState: _, marks: __, ...members } = session as Session;
  const events = 'events' in session ? session.events.map(wireEvent) : [];
  return { ...members, events };
}
