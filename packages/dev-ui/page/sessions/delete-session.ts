import type { SessionRef } from '@thole/core';
import { client } from '../state/client.ts';
import { explainError } from '../components/explain-error.ts';
import { forgetDraft } from '../state/drafts.ts';
import { go } from '../state/location.ts';
import { openKey } from '../state/session.ts';
import { sessionKey } from '../state/session-key.ts';
import { hiddenSessions, refreshSessions } from '../state/sessions.ts';
import { toast } from '../state/toast.ts';
import { forgetUnfinished } from '../state/unfinished.ts';

/**
 * Removes a session from the list at once, and deletes it on the server when the user can no longer undo this: after the
 * toast, or when the page closes.
 */
export function deleteSession(ref: SessionRef, name: string): void {
  const wasOpen = openKey.peek() === sessionKey(ref);
  hide(ref, true);
  if (wasOpen) go({ session: undefined, event: undefined }, { replace: true });
  let isDecided = false;
  const onPageHide = (): void => void deleteNow();
  addEventListener('pagehide', onPageHide);
  toast(`“${name}” is deleted.`, {
    onEnd: () => void deleteNow(),
    undo: () => {
      decide();
      hide(ref, false);
      // The user may have opened another app meanwhile.
      const { appName: app, userId: user, sessionId: session } = ref;
      if (wasOpen) go({ app, user, session, event: undefined }, { replace: true });
    },
  });

  function decide(): void {
    isDecided = true;
    removeEventListener('pagehide', onPageHide);
  }

  async function deleteNow(): Promise<void> {
    if (isDecided) return;
    decide();
    try {
      await client.sessions.delete(ref);
      forgetDraft(sessionKey(ref));
      forgetUnfinished(sessionKey(ref));
      // The known list contains the session until it is read again. After that, another session may get this id.
      if (await refreshSessions()) hide(ref, false);
    } catch (error) {
      hide(ref, false);
      toast(`Not deleted. ${explainError(error).sentence}`, { kind: 'bad' });
    }
  }
}

function hide(ref: SessionRef, hidden: boolean): void {
  const next = new Set(hiddenSessions.peek());
  if (hidden) next.add(sessionKey(ref));
  else next.delete(sessionKey(ref));
  hiddenSessions.value = next;
}
