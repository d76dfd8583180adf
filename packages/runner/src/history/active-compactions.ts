import type { Event, EventCompaction } from '@thole/core';
import { compactionOf } from './compaction-of.ts';

/** A compaction record that applies. */
export interface ActiveCompaction {
  /** The event with the record. */
  readonly event: Event;
  readonly record: EventCompaction;
  /** Position of the event in the list. */
  readonly index: number;
  /** Ids of all events that the summary replaces, of the records that this record replaces, and of the events of those records. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Returns the records that apply, in order. A record replaces the earlier records that it names, and those of which it names all
 * events. A record that names only some events of an earlier record does not apply. So each event belongs to at most one summary,
 * even if two processes summarize a session at the same time. The cost of a record is linear in the ids that it names.
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
    // Includes records that it replaces without naming them: a later record that names such a record does not apply.
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
