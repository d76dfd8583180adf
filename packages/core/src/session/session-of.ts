import { TholeError } from '../errors/thole-error.ts';
import type { Event } from '../event/event.ts';
import { deepFreeze, thawJson } from '../json/copy-json.ts';
import type { Json } from '../json/json.ts';
import { setOwn } from '../json/own.ts';
import { applyDelta, inKeyOrder, mergeScopes } from '../state/scopes.ts';
import type { StateMap } from '../state/scopes.ts';
import type { EventWindow, Session, SessionSummary } from './session.ts';
import type { SessionPage, StoredSession } from './session-store.ts';

/** A snapshot of what is stored: nothing in it but the frozen events is shared. */
export function sessionOf(stored: StoredSession, p: { window?: EventWindow | undefined; freeze: boolean }): Session {
  const { window } = p;
  const events = stored.events.slice();
  if (p.freeze) for (const event of events) deepFreeze(event);
  return { ...summaryOf(stored), events, ...(window && { window }) };
}

/** The same without events. `STORE_VERSION` for a record of another shape. */
export function summaryOf(stored: SessionPage['sessions'][number]): SessionSummary {
  if (stored.v !== 1) {
    throw new TholeError(
      'STORE_VERSION',
      `Session ${stored.key.sessionId} has a record of version ${String(stored.v)}; this package reads version 1.`,
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
  };
}

/** The handed-in session shows what was stored; a repeated event that its snapshot covers is not applied over what came later. */
export function showEvent(session: Session, stored: Event, duplicate: boolean): void {
  if (duplicate && (stored.seq ?? 0) <= session.lastSeq) return;
  session.events.push(stored);
  const delta = thawJson(stored.actions.stateDelta);
  const hasNewKeys = Object.keys(delta).some((key) => delta[key] !== null && !Object.hasOwn(session.state, key));
  applyDelta(session.state, delta);
  // The caller may hold the map itself, so it stays the same object.
  if (hasNewKeys)
    for (const [key, value] of Object.entries(inKeyOrder(session.state))) moveLast(session.state, key, value);
  session.lastUpdateTime = Math.max(session.lastUpdateTime, stored.timestamp);
  session.lastSeq = Math.max(session.lastSeq, stored.seq ?? 0);
}

function moveLast(state: StateMap, key: string, value: Json): void {
  delete state[key];
  setOwn(state, key, value);
}

/** Whether the environment does not say that this is production (contract 9). To ask costs as much as a small read. */
export function isDevelopment(): boolean {
  try {
    const environment = (globalThis as { process?: { env?: { [name: string]: string | undefined } } }).process?.env;
    return environment?.['NODE_ENV'] !== 'production';
  } catch {
    return true; // Deno refuses to say unless it is allowed to.
  }
}
