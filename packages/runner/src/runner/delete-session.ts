import { TholeError } from '@thole/core';
import type { Event, SessionRef, SessionService } from '@thole/core';

/** So often a session is read again in which something was said meanwhile. */
const MOST_READS = 50;

/**
 * Deletes a session just as it was read. Whether it was there, and the events that it was last seen to have, also where
 * somebody else deleted it meanwhile.
 */
export async function deleteAsRead(
  sessions: SessionService,
  ref: SessionRef,
): Promise<{ was: boolean; events: readonly Event[] | undefined }> {
  let events: readonly Event[] | undefined;
  for (let reads = 0; reads < MOST_READS; reads++) {
    const session = await sessions.getSession(ref);
    if (!session) return { was: false, events };
    events = session.events;
    if (await sessions.deleteSession({ ...ref, ifLastSeq: session.lastSeq })) return { was: true, events };
  }
  throw new TholeError(
    'SESSION_BUSY',
    `Something is said in session ${ref.sessionId} all the while: it was not deleted.`,
  );
}
