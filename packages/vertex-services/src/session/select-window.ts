import type { Event, EventWindow } from '@thole/core';

/** Returns the events of a window: first the filters, then the last `numRecentEvents`. */
export function selectWindow(events: readonly Event[], window: EventWindow): Event[] {
  const { numRecentEvents, afterTimestamp = -Infinity, afterSeq = 0 } = window;
  const found = events.filter(({ timestamp, seq }) => timestamp >= afterTimestamp && seq! > afterSeq);
  return numRecentEvents === undefined ? found : found.slice(found.length - Math.min(numRecentEvents, found.length));
}
