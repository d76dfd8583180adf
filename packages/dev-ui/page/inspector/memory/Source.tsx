import type { MemoryEntry } from '@thole/core';
import { go, sessionId } from '../../state/location.ts';
import { isDeletedSession } from '../../state/sessions.ts';

/** A link to the event of a memory in its session, if the session still exists. */
export function Source({ memory: { sessionId: session, eventId } }: { memory: MemoryEntry }) {
  if (session === undefined) return null;
  const isHere = session === sessionId.value;
  if (!isHere && isDeletedSession(session)) return <span title={session}>from a deleted session</span>;
  return (
    <button type="button" class="link" title={session} onClick={() => go({ session, event: eventId })}>
      {isHere ? 'from this session' : 'from another session'}
    </button>
  );
}
