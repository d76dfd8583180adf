import type { SessionSummary } from '@thole/core';
import { computed, effect, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { client } from './client.ts';
import { returns } from './connection.ts';
import { forgetInbox, refreshInbox } from './inbox.ts';
import { appName, userId } from './location.ts';

/** Maximum number of listed sessions. Older ones are found by their address. */
const MOST = 500;

/** The newest sessions of the user, newest first. Undefined before they are read. */
const listed: Signal<readonly SessionSummary[] | undefined> = signal<readonly SessionSummary[] | undefined>(undefined);
export const sessionsError: Signal<unknown> = signal<unknown>(undefined);

/** Deleted on the page, but not yet on the server: this can be undone. */
export const hiddenSessions: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());

export const sessions: ReadonlySignal<readonly SessionSummary[] | undefined> = computed(() =>
  listed.value?.filter((each) => !hiddenSessions.value.has(each.id)),
);

/** True if a session certainly no longer exists. False if there may be older sessions than those listed. */
export function isGone(id: string): boolean {
  const all = listed.value;
  return all !== undefined && all.length < MOST && !all.some((each) => each.id === id);
}

/** Reads the list when the app or user changes and when the server returns. */
export function followSessions(): void {
  let of = '';
  effect(() => {
    const key = JSON.stringify([appName.value, userId.value]);
    void returns.value;
    if (key !== of) {
      listed.value = undefined;
      forgetInbox();
    }
    of = key;
    void refreshSessions();
  });
}

/** Reads the list again. */
export async function refreshSessions(): Promise<void> {
  const app = appName.peek();
  const user = userId.peek();
  if (app === undefined) return;
  try {
    const page = await client.sessions.list({ appName: app, userId: user, limit: MOST, offset: 0, order: 'desc' });
    if (appName.peek() !== app || userId.peek() !== user) return;
    listed.value = page.sessions;
    sessionsError.value = undefined;
    void refreshInbox();
  } catch (error) {
    sessionsError.value = error;
  }
}
