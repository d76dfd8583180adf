import { ClientError } from '@thole/client';
import type { Event, Session, SessionRef, StateDelta } from '@thole/core';
import { applyDelta } from '@thole/core/kit';
import { batch, effect } from '@preact/signals';
import { loadApps } from './apps.ts';
import { client } from './client.ts';
import { reconnects } from './connection.ts';
import { isSameData } from './is-same-data.ts';
import { mergeEvents } from './merge-events.ts';
import { events, openKey, sessionRef, sessionState, status } from './session.ts';
import { sessionKey } from './session-key.ts';

/** Number of newest events to read after a run: usually enough for the user's message and events of other writers. */
const RECENT_EVENTS = 50;

/** Called when a session was read, to read its active run. */
let onLoaded: (ref: SessionRef, session: Session) => void = () => {};
let shown: string | undefined;
/**
 * The `incarnation` of the shown session. It is another one after the session was deleted and created again. Undefined before the
 * session is read: events of its run may be known earlier.
 */
let incarnation: string | undefined;
let loading: AbortController | undefined;

/** Reads the session of the address when the address changes and after a reconnection. */
export function followSession(onRead: typeof onLoaded): void {
  onLoaded = onRead;
  effect(() => {
    const key = openKey.value;
    void reconnects.value;
    if (key === shown && status.peek().kind === 'ready') return void refreshSessionAndRun();
    shown = key;
    void loadSession();
  });
}

/** Reads the complete open session again. */
export async function loadSession(): Promise<void> {
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  const ref = sessionRef.peek();
  batch(() => {
    events.value = [];
    incarnation = undefined;
    sessionState.value = {};
    status.value = ref ? { kind: 'loading' } : { kind: 'none' };
  });
  if (!ref) return;
  try {
    const session = await client.sessions.get({ ...ref, signal });
    if (signal.aborted) return;
    setSession(session);
    onLoaded(ref, session);
  } catch (error) {
    if (signal.aborted) return;
    status.value = ClientError.is(error) && error.status === 404 ? { kind: 'missing' } : { kind: 'failed', error };
  }
}

/** Shows a known session, such as a new one, without reading it. */
export function showSession(session: Session): void {
  loading?.abort();
  shown = sessionKey({ appName: session.appName, userId: session.userId, sessionId: session.id });
  batch(() => {
    events.value = [];
    incarnation = undefined;
    setSession(session);
  });
}

/** Reads new data of the open session, and its run if another client has started one. Errors are ignored. */
export async function refreshSessionAndRun(): Promise<void> {
  const ref = sessionRef.peek();
  const session = await refreshSession();
  if (ref && session && openKey.peek() === sessionKey(ref)) onLoaded(ref, session);
}

/**
 * Reads new data of the open session: its state and events of other writers. Returns the session, or undefined if it was not read or
 * is not open any more. Errors are ignored.
 */
export async function refreshSession(): Promise<Session | undefined> {
  const ref = sessionRef.peek();
  if (!ref || status.peek().kind === 'loading') return undefined;
  const opened = loading;
  // Also false if the session was left and opened again: its complete events are then read.
  const isStillOpen = (): boolean => loading === opened && openKey.peek() === sessionKey(ref);
  try {
    const known = events.peek();
    const window = known.length > RECENT_EVENTS ? { numRecentEvents: RECENT_EVENTS } : {};
    let session = await client.sessions.get({ ...ref, ...window });
    const earlier = session.incarnation === incarnation ? known : [];
    if (hasGap(mergeEvents(earlier, session.events))) session = await client.sessions.get(ref);
    if (!isStillOpen()) return undefined;
    setSession(session);
    return session;
  } catch (error) {
    if (ClientError.is(error) && error.status === 404 && isStillOpen()) {
      status.value = { kind: 'missing' };
      // The server may have been restarted without the app.
      void loadApps();
    }
    return undefined;
  }
}

/** True if events are missing: `seq` counts from 1 without gaps. */
function hasGap(list: readonly Event[]): boolean {
  return list.length > 0 && list.at(-1)!.seq !== list.length;
}

/** Writes state of a session; null deletes a key. Rejects with a `ClientError` if the server rejects this. */
export async function writeState(ref: SessionRef, delta: StateDelta): Promise<void> {
  const session = await client.sessions.updateState({ ...ref, stateDelta: delta });
  if (openKey.peek() !== sessionKey(ref)) return;
  setState(session);
  await refreshSession();
}

/** Adds a stored event of the open session, with its changes of the state. */
export function addStoredEvent(event: Event): void {
  batch(() => {
    events.value = mergeEvents(events.peek(), [event]);
    const delta = Object.entries(event.actions.stateDelta).filter(([key]) => !key.startsWith('temp:'));
    if (delta.length === 0) return;
    const state = { ...sessionState.peek() };
    applyDelta(state, Object.fromEntries(delta));
    sessionState.value = state;
  });
}

function setSession(session: Session): void {
  batch(() => {
    if (incarnation !== undefined && session.incarnation !== incarnation) events.value = [];
    incarnation = session.incarnation;
    setState(session);
    events.value = mergeEvents(events.peek(), session.events);
    if (status.peek().kind !== 'ready') status.value = { kind: 'ready' };
  });
}

/** Shows the state of a session. Ignores a late response: its state is older than the known events. */
function setState({ lastSeq, state }: Session): void {
  if (lastSeq < (events.peek().at(-1)?.seq ?? 0) || isSameData(sessionState.peek(), state)) return;
  sessionState.value = state;
}
