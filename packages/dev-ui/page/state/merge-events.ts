import type { Event } from '@thole/core';
import { isSameData } from './is-same-data.ts';
import { withArgs } from './with-args.ts';

/**
 * Merges two lists of a session's events: each event once, ordered by `seq`. An event of `added` replaces the known one with its
 * id if their data differ. Returns the known list if nothing changes, so that nothing is drawn again.
 */
export function mergeEvents(known: readonly Event[], added: readonly Event[]): readonly Event[] {
  if (added.length === 0) return known;
  const more = added.map(withArgs);
  const last = known.at(-1)?.seq;
  if (known.length === 0) return sortBySeq(more);
  // Usually the second list only continues the first.
  if (last !== undefined && more.every((event, i) => (event.seq ?? 0) > (more[i - 1]?.seq ?? last))) {
    return [...known, ...more];
  }
  const byId = new Map(known.map((event) => [event.id, event]));
  const changed = more.filter((event) => !isSameData(byId.get(event.id), event));
  if (changed.length === 0) return known;
  for (const event of changed) byId.set(event.id, event);
  return sortBySeq([...byId.values()]);
}

function sortBySeq(list: readonly Event[]): readonly Event[] {
  return list.toSorted((a, b) => (a.seq ?? Infinity) - (b.seq ?? Infinity) || a.timestamp - b.timestamp);
}
