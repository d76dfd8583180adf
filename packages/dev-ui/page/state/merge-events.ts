import type { Event } from '@thole/core';
import { withArgs } from './with-args.ts';

/** Merges two lists of a session's events: each event once, ordered by `seq`. The events of `added` replace equal ids. */
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
  for (const event of more) byId.set(event.id, event);
  return sortBySeq([...byId.values()]);
}

function sortBySeq(list: readonly Event[]): readonly Event[] {
  return list.toSorted((a, b) => (a.seq ?? Infinity) - (b.seq ?? Infinity) || a.timestamp - b.timestamp);
}
