import type { SessionSummary } from '@thole/core';
import { computed, effect, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { client } from './client.ts';
import { reconnects } from './connection.ts';
import { forgetInbox, refreshInbox } from './inbox.ts';
import { appName, userId } from './location.ts';
import { sessionKey } from './session-key.ts';

/** Maximum number of listed sessions. Older sessions can be opened only by their address. */
export const MAX_SESSIONS = 500;

/** The newest sessions of the user, newest first. Undefined before they are read. */
const listed: Signal<readonly SessionSummary[] | undefined> = signal<readonly SessionSummary[] | undefined>(undefined);
export const sessionsError: Signal<unknown> = signal<unknown>(undefined);

/** Keys of sessions that are deleted on the page, but not yet on the server, so that the user can undo this. */
export const hiddenSessions: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());

export const sessions: ReadonlySignal<readonly SessionSummary[] | undefined> = computed(() =>
  listed.value?.filter(
    ({ appName, userId, id: sessionId }) => !hiddenSessions.value.has(sessionKey({ appName, userId, sessionId })),
  ),
);

/** True if a session certainly does not exist any more. False if the list may be incomplete. */
export function isDeletedSession(id: string): boolean {
  const all = listed.value;
  return all !== undefined && all.length < MAX_SESSIONS && !all.some((each) => each.id === id);
}

/** Reads the list when the app or the user changes and after a reconnection. */
export function followSessions(): void {
  let lastKey = '';
  effect(() => {
    const key = JSON.stringify([appName.value, userId.value]);
    void reconnects.value;
    if (key !== lastKey) {
      listed.value = undefined;
      sessionsError.value = undefined;
      forgetInbox();
    }
    lastKey = key;
    void refreshSessions();
  });
}

/** Number of the newest request for the list, and of the request whose response is shown. */
let requested = 0;
let shown = 0;

/** Reads the list again. Resolves to true if it was read. */
export async function refreshSessions(): Promise<boolean> {
  const app = appName.peek();
  const user = userId.peek();
  if (app === undefined) return false;
  const request = ++requested;
  // The response to an earlier request may arrive later.
  const isOutdated = (): boolean => request < shown || appName.peek() !== app || userId.peek() !== user;
  try {
    const page = await client.sessions.list({
      appName: app,
      userId: user,
      limit: MAX_SESSIONS,
      offset: 0,
      order: 'desc',
    });
    if (isOutdated()) return true;
    shown = request;
    listed.value = page.sessions;
    sessionsError.value = undefined;
    void refreshInbox();
    return true;
  } catch (error) {
    if (!isOutdated()) sessionsError.value = error;
    return false;
  }
}
