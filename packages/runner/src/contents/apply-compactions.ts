import type { Event } from '@thole/core';
import { createEventActions } from '@thole/core';
import { activeCompactions } from '../history/active-compactions.ts';
import type { ActiveCompaction } from '../history/active-compactions.ts';
import { compactionOf, summaryOf } from '../history/compaction-of.ts';
import { textPart } from './freeze-content.ts';

/**
 * Inserts the summary of each active record at the last event that it covers, and removes the covered events before the
 * record. If the covered events are missing (a window), the summary is placed by `seq`.
 */
export function applyCompactions(events: readonly Event[]): readonly Event[] {
  if (!events.some((event) => compactionOf(event))) return events;
  const owners = new Map<string, ActiveCompaction>();
  const active = activeCompactions(events);
  for (const each of active) for (const id of each.ids) owners.set(id, each);
  const isHidden = ({ id }: Event, index: number): boolean => index < (owners.get(id)?.index ?? 0);
  const places = new Map<ActiveCompaction, Event>();
  for (const [i, event] of events.entries()) {
    // A replaced record comes after events that its summary does not cover.
    if (isHidden(event, i) && !compactionOf(event)) places.set(owners.get(event.id)!, event);
  }
  const summaries = new Map<Event, Event[]>();
  for (const each of active) {
    const place = places.get(each) ?? placeBySeq(events, each);
    summaries.set(place, [...(summaries.get(place) ?? []), summaryEvent(each)]);
  }
  return events.flatMap((event, i) => {
    const here = summaries.get(event) ?? [];
    return isHidden(event, i) || compactionOf(event) ? here : [...here, event];
  });
}

/** Removes the records, because an agent that sees only the current turn must not see summaries of earlier turns. */
export function dropCompactions(events: readonly Event[]): readonly Event[] {
  return events.some((event) => compactionOf(event)) ? events.filter((event) => !compactionOf(event)) : events;
}

/** Returns the first event that is newer than the range of the record, or the event with the record. */
function placeBySeq(events: readonly Event[], { event, record, index }: ActiveCompaction): Event {
  const isNewer = (each: Event, i: number): boolean => i < index && each.seq !== undefined && each.seq > record.endSeq;
  return events.find(isNewer) ?? event;
}

/** First line of a summary in the prompt. */
export const SUMMARY_TITLE = 'Summary of the earlier conversation:';

/** Returns the summary as an event of the user, so that no agent sees it as its own text. */
function summaryEvent({ event, record }: ActiveCompaction): Event {
  const text = `${SUMMARY_TITLE}\n${summaryOf(record)}`;
  return {
    ...event,
    author: 'user',
    actions: createEventActions(),
    content: { role: 'user', parts: [textPart(text)] },
  };
}
