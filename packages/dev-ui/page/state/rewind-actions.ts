import type { Event } from '@thole/core';
import { client } from './client.ts';
import { go, selectedEventId } from './location.ts';
import { answerInvocationAgain } from './run-actions.ts';
import { openKey, sessionRef } from './session.ts';
import { refreshSession, showSession } from './session-actions.ts';
import { sessionKey } from './session-key.ts';
import { refreshSessions } from './sessions.ts';
import { visibleEvents } from './visible-events.ts';

/**
 * Removes an invocation of the open session and everything after it. Rejects with a `ClientError` if the server rejects this;
 * then nothing is removed.
 */
export async function rewindBefore(rewindBeforeInvocationId: string): Promise<void> {
  const ref = sessionRef.peek();
  if (!ref) return;
  await client.sessions.rewind({ ...ref, rewindBeforeInvocationId });
  if (openKey.peek() === sessionKey(ref)) await refreshSession();
  // The user may have opened another session meanwhile.
  if (openKey.peek() === sessionKey(ref)) dropSelection();
  void refreshSessions();
}

/** Copies the open session up to this event and opens the copy. Rejects with a `ClientError` if the server rejects this. */
export async function copySession(uptoSeq: number): Promise<void> {
  const ref = sessionRef.peek();
  if (!ref) return;
  const copy = await client.sessions.fork({ ...ref, uptoSeq });
  void refreshSessions();
  // The user may have opened another session meanwhile.
  if (openKey.peek() !== sessionKey(ref)) return;
  showSession(copy);
  go({ session: copy.id, event: undefined });
}

/** Removes an invocation of the open session and everything after it, and runs its message again. Resolves as `send` does. */
export async function answerAgain(invocationId: string): Promise<boolean> {
  const isMessage = (event: Event): boolean => event.invocationId === invocationId && event.author === 'user';
  const message = visibleEvents.peek().find((event) => isMessage(event) && event.content !== undefined);
  const started = answerInvocationAgain(invocationId, message?.content);
  dropSelection();
  return started;
}

/** Removes the selection of an event that is not shown any more. */
function dropSelection(): void {
  const selected = selectedEventId.peek();
  if (selected === undefined || visibleEvents.peek().some(({ id }) => id === selected)) return;
  go({ event: undefined }, { replace: true });
}
