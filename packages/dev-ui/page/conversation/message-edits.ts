import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { openKey } from '../state/session.ts';

/** The texts of edited messages by `editKey`. They are stored here, because rows outside the view are not drawn. */
export const messageEdits: Signal<ReadonlyMap<string, string>> = signal<ReadonlyMap<string, string>>(new Map());

/** Returns the key of a message of the open session. A copy of a session has events with the same ids. */
export const editKey = (eventId: string): string => JSON.stringify([openKey.value, eventId]);

/** Sets the text of an edited message; undefined ends the edit. */
export function writeEdit(key: string, text: string | undefined): void {
  const next = new Map(messageEdits.peek());
  if (text === undefined) next.delete(key);
  else next.set(key, text);
  messageEdits.value = next;
}
