import type { Event, Json, SessionRef } from '@thole/core';
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { appName, selectedEventId, sessionId, userId } from './location.ts';
import { sessionKey } from './session-key.ts';

/** Status of reading the open session. */
export type SessionStatus =
  | { kind: 'none' }
  | { kind: 'loading' }
  | { kind: 'ready' }
  | { kind: 'missing' }
  | { kind: 'failed'; error: unknown };

export const status: Signal<SessionStatus> = signal<SessionStatus>({ kind: 'none' });

/** The stored events of the open session, oldest first. The list is replaced, never changed in place. */
export const events: Signal<readonly Event[]> = signal<readonly Event[]>([]);

/** True if the open session has stored events. Changes less often than the list. */
export const hasEvents: ReadonlySignal<boolean> = computed(() => events.value.length > 0);

/** The merged state of the open session, with prefixes. */
export const sessionState: Signal<Readonly<Record<string, Json>>> = signal<Readonly<Record<string, Json>>>({});

/** The names of the open session. Undefined if no session is open. */
export const sessionRef: ReadonlySignal<SessionRef | undefined> = computed(() =>
  appName.value !== undefined && sessionId.value !== undefined
    ? { appName: appName.value, userId: userId.value, sessionId: sessionId.value }
    : undefined,
);

/** The names of the open session as one text, for comparisons. */
export const openKey: ReadonlySignal<string | undefined> = computed(
  () => sessionRef.value && sessionKey(sessionRef.value),
);

/** The selected event, if the open session has it. */
export const selectedEvent: ReadonlySignal<Event | undefined> = computed(() => {
  const id = selectedEventId.value;
  return id === undefined ? undefined : events.value.findLast((event) => event.id === id);
});
