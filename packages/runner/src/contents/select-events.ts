import type { Event } from '@thole/core';
import { compactionOf } from '../history/compaction-of.ts';
import type { SelectHistory } from './contents-request.ts';

/**
 * Returns the chosen events in the order of the history, with all compaction records. Ignores chosen events that are not
 * in the history.
 */
export function selectEvents(events: readonly Event[], choice: ReturnType<SelectHistory>): readonly Event[] {
  if (choice === undefined) return events;
  if ('fromSeq' in choice) return events.filter((event) => isFrom(event, choice.fromSeq) || compactionOf(event));
  const chosen = new Set(choice.map((event) => event.id));
  return events.filter((event) => chosen.has(event.id) || compactionOf(event));
}

/** True if the event is not before `fromSeq`. An event without `seq` is newer than all others. */
export function isFrom(event: Event, fromSeq: number): boolean {
  return event.seq === undefined || event.seq >= fromSeq;
}
