import type { Event } from '@thole/core';
import { applyRewinds, InterruptLog } from '@thole/core/kit';

/** Returns the open and closed requests in a list of events, except rewound requests. */
export function findRequests(events: readonly Event[]): InterruptLog {
  const log = new InterruptLog();
  for (const event of applyRewinds(events)) log.add(event);
  return log;
}
