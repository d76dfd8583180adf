import type { Content, SessionRef } from '@thole/core';
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { explainError } from '../components/explain-error.ts';
import { draftKey, moveDraft, returnToDraft } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { beginSession, send } from './run-actions.ts';
import { sessionRef } from './session.ts';
import { sessionKey } from './session-key.ts';
import { titleOf } from './title-of.ts';
import { toast } from './toast.ts';

/** True while a session for a first message is being created. Another message would create a second session. */
export const isBeginning: Signal<boolean> = signal(false);

/**
 * Sends a message in the open session, or in a new session that is named after the message. A message that could not be sent
 * returns to the draft of its session, also if another session is open by then.
 */
export async function sendMessage(message: Draft): Promise<void> {
  if (isBeginning.peek()) return;
  const { text, files } = message;
  const content: Content = { role: 'user', parts: [...(text.trim() === '' ? [] : [{ text }]), ...files] };
  let key = draftKey.peek();
  try {
    const ref = sessionRef.peek() ?? (await beginNamed(content));
    key = sessionKey(ref);
    if (await send(ref, content)) return;
  } catch (error) {
    toast(`Not sent: the session could not be created. ${explainError(error).sentence}`, { kind: 'bad' });
  }
  returnToDraft(message, key);
}

/** Creates a session and moves text to it that was written meanwhile. */
async function beginNamed(content: Content): Promise<SessionRef> {
  const before = draftKey.peek();
  isBeginning.value = true;
  try {
    const ref = await beginSession(titleOf(content));
    moveDraft(before, sessionKey(ref));
    return ref;
  } finally {
    isBeginning.value = false;
  }
}
