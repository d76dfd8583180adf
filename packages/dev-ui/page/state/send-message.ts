import type { Content, SessionRef } from '@thole/core';
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { explainError } from '../components/explain-error.ts';
import { draftKey, moveDraft, returnToDraft } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { beginSession, send } from './run-actions.ts';
import { sessionRef } from './session.ts';
import { sessionKey } from './session-key.ts';
import { titleOf } from './title-of.ts';
import { toast } from './toast.ts';

/** The draft keys of first messages whose sessions are being created. */
const beginnings: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());

/**
 * True while no session is open and a session for a first message is being created. Another message would create a second
 * session.
 */
export const isBeginning: ReadonlySignal<boolean> = computed(() => beginnings.value.has(draftKey.value));

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
  beginnings.value = new Set(beginnings.peek()).add(before);
  try {
    const ref = await beginSession(titleOf(content));
    moveDraft(before, sessionKey(ref));
    return ref;
  } finally {
    beginnings.value = new Set([...beginnings.peek()].filter((key) => key !== before));
  }
}
