import type { Event, EventCompaction } from '@thole/core';
import { compactionOf } from './compaction-of.ts';

/** A compaction record that applies. */
export interface ActiveCompaction {
  /** The event with the record. */
  readonly event: Event;
  readonly record: EventCompaction;
  /** Position of the event in the list. */
  readonly index: number;
  /** Ids of all events that the summary replaces, and of the records that this record replaces, with their events. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Returns the records that apply, in order. A record replaces earlier records that it names, or whose events it names all.
 * Other overlaps are not possible: a record that names an event of another record does not apply. So each event belongs to
 * one summary at most, also if two processes summarize a session at the same time. Each record costs as much as the ids that
 * it names.
 */
export function activeCompactions(events: readonly Event[]): ActiveCompaction[] {
  let active: (ActiveCompaction & { ids: Set<string> })[] = [];
  for (let index = 0; index < events.length; index++) {
    const event = events[index]!;
    const record = event.actions.compaction && compactionOf(event);
    if (!record) continue;
    const named = new Set(record.eventIds);
    const isReplaced = (other: ActiveCompaction): boolean => named.has(other.event.id) || hasAll(named, other.ids);
    const replaced = active.filter(isReplaced);
    const others = active.filter((other) => !replaced.includes(other));
    if (others.some(({ ids }) => record.eventIds.some((id) => ids.has(id)))) continue;
    // Also those that it replaces without naming them: a later record that names one of them does not apply.
    for (const other of replaced) named.add(other.event.id);
    active = [...others, { event, record, index, ids: union([named, ...replaced.map(({ ids }) => ids)]) }];
  }
  return active;
}

function hasAll(set: ReadonlySet<string>, ids: ReadonlySet<string>): boolean {
  for (const id of ids) if (!set.has(id)) return false;
  return true;
}

/** Adds all ids to the largest of the sets, which costs less than a new set for each record. */
function union(sets: readonly Set<string>[]): Set<string> {
  const largest = sets.reduce((one, other) => (other.size > one.size ? other : one));
  for (const set of sets) if (set !== largest) for (const id of set) largest.add(id);
  return largest;
}
