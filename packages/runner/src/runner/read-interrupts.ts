import { pendingInterrupts } from '@thole/core';
import { rewindOf, sessionNotFound } from '@thole/core/kit';
import type { Interrupt, SessionRef, SessionService } from '@thole/core';

/** Number of events in the first read. Each further read has 8 times as many. */
const FIRST_READ = 100;

/**
 * Returns the open interrupts of a session, oldest first. Reads the newest events until they contain as many open interrupts as
 * the mark of the session counts; without a count, and after a rewind, the whole session. Throws `SESSION_NOT_FOUND`.
 */
export async function readInterrupts(
  service: SessionService,
  ref: SessionRef,
  signal: AbortSignal | undefined,
): Promise<Interrupt[]> {
  for (let numRecentEvents: number | undefined = FIRST_READ; ;) {
    const session = await service.getSession({ ...ref, numRecentEvents, signal });
    if (!session) throw sessionNotFound(ref);
    const { events, marks } = session;
    const found = pendingInterrupts(events);
    if (numRecentEvents === undefined || events.length < numRecentEvents) return found;
    // A rewind may remove events from before the window on.
    const isUncertain = !marks?.openInterrupts || events.some((event) => rewindOf(event) !== undefined);
    if (!isUncertain && found.length === marks.openInterrupts) return found;
    numRecentEvents = isUncertain ? undefined : numRecentEvents * 8;
  }
}
