import type { Event } from '@thole/core';
import { applyRewinds, InterruptLog } from '@thole/core/kit';

/** Returns the requests of a history, open and closed. Rewound requests are missing. */
export function findRequests(events: readonly Event[]): InterruptLog {
  const log = new InterruptLog();
  for (const event of applyRewinds(events)) log.add(event);
  return log;
}
