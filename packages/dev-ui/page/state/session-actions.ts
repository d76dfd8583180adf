import { ClientError } from '@thole/client';
import type { Event, Json, Session, SessionRef, StateDelta } from '@thole/core';
import { batch, effect } from '@preact/signals';
import { client } from './client.ts';
import { returns } from './connection.ts';
import { mergeEvents } from './merge-events.ts';
import { events, openKey, sessionRef, sessionState, status } from './session.ts';
import { sessionKey } from './session-key.ts';

/** Enough to fill the gap after a run: the user's own message, and events of other writers. */
const TAIL = 50;

/** Called when a session was read: a run that was active before the page was loaded is continued. */
let onLoaded: (ref: SessionRef, session: Session) => void = () => {};
let shown: string | undefined;
let loading: AbortController | undefined;

/** Reads the session of the address whenever that changes and when the server returns. */
export function followSession(loaded: typeof onLoaded): void {
  onLoaded = loaded;
  effect(() => {
    const key = openKey.value;
    void returns.value;
    if (key === shown && status.peek().kind === 'ready') return void refreshSession();
    shown = key;
    void loadSession();
  });
}

/** Reads the whole open session again. */
export async function loadSession(): Promise<void> {
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  const ref = sessionRef.peek();
  batch(() => {
    events.value = [];
    sessionState.value = {};
    status.value = ref ? { kind: 'loading' } : { kind: 'none' };
  });
  if (!ref) return;
  try {
    const session = await client.sessions.get({ ...ref, signal });
    if (signal.aborted) return;
    take(session);
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
    take(session);
  });
}

/** Reads new data of the open session: its state and events of other writers. Errors are ignored. */
export async function refreshSession(): Promise<void> {
  const ref = sessionRef.peek();
  if (!ref || status.peek().kind === 'loading') return;
  try {
    const known = events.peek();
    const window = known.length > TAIL ? { numRecentEvents: TAIL } : {};
    let session = await client.sessions.get({ ...ref, ...window });
    if (hasGap(mergeEvents(known, session.events))) session = await client.sessions.get(ref);
    if (openKey.peek() === sessionKey(ref)) take(session);
  } catch (error) {
    if (ClientError.is(error) && error.status === 404 && openKey.peek() === sessionKey(ref)) {
      status.value = { kind: 'missing' };
    }
  }
}

/** `seq` counts from 1 without gaps. */
function hasGap(list: readonly Event[]): boolean {
  return list.length > 0 && list.at(-1)!.seq !== list.length;
}

/** Writes state of the open session; null deletes a key. Rejects with a `ClientError` if the server refuses. */
export async function writeState(delta: StateDelta): Promise<void> {
  const ref = sessionRef.peek();
  if (!ref) return;
  const session = await client.sessions.updateState({ ...ref, stateDelta: delta });
  if (openKey.peek() !== sessionKey(ref)) return;
  sessionState.value = session.state;
  await refreshSession();
}

/** Adds a stored event of the open session, with its changes of the state. */
export function takeEvent(event: Event): void {
  batch(() => {
    events.value = mergeEvents(events.peek(), [event]);
    const delta = Object.entries(event.actions.stateDelta).filter(([key]) => !key.startsWith('temp:'));
    if (delta.length > 0) sessionState.value = withDelta(sessionState.peek(), delta);
  });
}

function withDelta(
  state: Readonly<Record<string, Json>>,
  delta: readonly (readonly [string, Json])[],
): Record<string, Json> {
  const next = new Map(Object.entries(state));
  for (const [key, value] of delta) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  return Object.fromEntries(next);
}

function take(session: Session): void {
  batch(() => {
    events.value = mergeEvents(events.peek(), session.events);
    sessionState.value = session.state;
    status.value = { kind: 'ready' };
  });
}
