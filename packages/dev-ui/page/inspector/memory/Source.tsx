import type { MemoryEntry } from '@thole/core';
import { go, sessionId } from '../../state/location.ts';
import { isGone } from '../../state/sessions.ts';

/** Links to the place in the session, if it still exists. */
export function Source({ memory: { sessionId: session, eventId } }: { memory: MemoryEntry }) {
  if (session === undefined) return null;
  const isHere = session === sessionId.value;
  if (!isHere && isGone(session)) return <span title={session}>from a deleted session</span>;
  return (
    <button type="button" class="link" title={session} onClick={() => go({ session, event: eventId })}>
      {isHere ? 'from this session' : 'from another session'}
    </button>
  );
}
