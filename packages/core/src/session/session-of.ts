import { TholeError } from '../errors/thole-error.ts';
import type { Event } from '../event/event.ts';
import { deepFreeze, thawJson } from '../json/copy-json.ts';
import type { Json } from '../json/json.ts';
import { setOwn } from '../json/own.ts';
import { applyDelta, sortByKey, mergeScopes } from '../state/scopes.ts';
import type { StateMap } from '../state/scopes.ts';
import type { EventWindow, Session, SessionSummary } from './session.ts';
import type { SessionPage, StoredSession } from './session-store.ts';

/** Returns a copy of a stored session. Only the frozen events are shared. */
export function sessionOf(stored: StoredSession, p: { window?: EventWindow | undefined; freeze: boolean }): Session {
  const { window } = p;
  const events = stored.events.slice();
  if (p.freeze) for (const event of events) deepFreeze(event);
  const initialState = deepFreeze(stored.initialState);
  return { ...summaryOf(stored), initialState, marks: { ...stored.marks }, events, ...(window && { window }) };
}

/** Returns a copy of a stored session without events. Throws `STORE_VERSION` for an unknown version of the record. */
export function summaryOf(stored: SessionPage['sessions'][number]): SessionSummary {
  if (stored.v !== 1) {
    throw new TholeError(
      'STORE_VERSION',
      `The record of session "${stored.key.sessionId}" has version ${String(stored.v)}. This package reads version 1.`,
    );
  }
  return {
    id: stored.key.sessionId,
    appName: stored.key.appName,
    userId: stored.key.userId,
    state: thawJson(mergeScopes({ app: stored.appState, user: stored.userState, session: stored.state })),
    lastUpdateTime: stored.lastUpdateTime,
    lastSeq: stored.lastSeq,
    incarnation: stored.incarnation,
    ...(stored.forkedFrom && { forkedFrom: { ...stored.forkedFrom } }),
  };
}

/** Adds a stored event to the caller's session. A duplicate that the session already contains changes nothing. */
export function addEvent(session: Session, stored: Event, duplicate: boolean): void {
  if (duplicate && (stored.seq ?? 0) <= session.lastSeq) return;
  session.events.push(stored);
  const delta = thawJson(stored.actions.stateDelta);
  const hasNewKeys = Object.keys(delta).some((key) => delta[key] !== null && !Object.hasOwn(session.state, key));
  applyDelta(session.state, delta);
  // The caller may use the map elsewhere, so it stays the same object.
  if (hasNewKeys)
    for (const [key, value] of Object.entries(sortByKey(session.state))) moveLast(session.state, key, value);
  session.lastUpdateTime = Math.max(session.lastUpdateTime, stored.timestamp);
  session.lastSeq = Math.max(session.lastSeq, stored.seq ?? 0);
}

function moveLast(state: StateMap, key: string, value: Json): void {
  delete state[key];
  setOwn(state, key, value);
}

/** True unless `NODE_ENV` is `production` (contract 9). One call takes as long as a small read, so the result is kept. */
export function isDevelopment(): boolean {
  try {
    const env = (globalThis as { process?: { env?: { [name: string]: string | undefined } } }).process?.env;
    return env?.['NODE_ENV'] !== 'production';
  } catch {
    return true; // Deno throws if it may not read the environment.
  }
}
