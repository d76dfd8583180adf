import type { Event } from '@thole/core';
import { createEventActions } from '@thole/core';
import { compactionOf, summaryOf } from '../history/compaction-of.ts';
import { textPart } from './freeze-content.ts';

/**
 * Inserts each summary at the last event that it covers and removes exactly the events it names before its record.
 * Leaves out a summary whose record, or all of whose events, a later record covers. If the covered events are
 * missing (a window), the summary is placed by `seq`.
 */
export function applyCompactions(events: readonly Event[]): readonly Event[] {
  const records = events.filter((event) => compactionOf(event));
  if (records.length === 0) return events;
  const hidden = new Set<Event>();
  const summaries = new Map<Event, Event[]>();
  for (const record of records.filter((event, i) => !isSubsumed(event, records.slice(i + 1)))) {
    const before = events.slice(0, events.indexOf(record));
    const covered = new Set(compactionOf(record)!.eventIds);
    for (const event of before) if (covered.has(event.id)) hidden.add(event);
    const place = placeOf(record, covered, before);
    summaries.set(place, [...(summaries.get(place) ?? []), summaryEvent(record)]);
  }
  return events.flatMap((event) => {
    const here = summaries.get(event) ?? [];
    return hidden.has(event) || compactionOf(event) ? here : [...here, event];
  });
}

/** Removes the records: an agent that sees only the current turn sees no summary of earlier turns. */
export function dropCompactions(events: readonly Event[]): readonly Event[] {
  return events.some((event) => compactionOf(event)) ? events.filter((event) => !compactionOf(event)) : events;
}

function isSubsumed(record: Event, later: readonly Event[]): boolean {
  return later.some((other) => {
    const covered = new Set(compactionOf(other)!.eventIds);
    return covered.has(record.id) || compactionOf(record)!.eventIds.every((id) => covered.has(id));
  });
}

/**
 * Returns the place of the summary: the last covered event, which is removed, otherwise the first event that is
 * newer than the range.
 */
function placeOf(record: Event, covered: ReadonlySet<string>, before: readonly Event[]): Event {
  const { endSeq } = compactionOf(record)!;
  const isNewer = (event: Event): boolean => event.seq !== undefined && event.seq > endSeq;
  return before.findLast((event) => covered.has(event.id)) ?? before.find(isNewer) ?? record;
}

/** A summary is shown to every agent as the user's context, never as an agent's words. */
function summaryEvent(record: Event): Event {
  const text = `Summary of the earlier conversation:\n${summaryOf(compactionOf(record)!)}`;
  return {
    ...record,
    author: 'user',
    actions: createEventActions(),
    content: { role: 'user', parts: [textPart(text)] },
  };
}
