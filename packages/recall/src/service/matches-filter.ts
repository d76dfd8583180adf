import { getOwn } from '@thole/core';
import type { MemoryEntry, MemoryFilter } from '@thole/core';

/** All of an entry but what was said: what filters ask about. */
export type MemoryHeader = Omit<MemoryEntry, 'content' | 'score'>;

/** Whether an entry meets every condition that is given. An entry without a time is in no span of time. */
export function matchesFilter(entry: MemoryHeader, filter: MemoryFilter): boolean {
  const { kinds, from, to, validAt, author, sessionId, metadata } = filter;
  if (kinds && !kinds.includes(entry.kind)) return false;
  if (from !== undefined && !(entry.timestamp !== undefined && entry.timestamp >= from)) return false;
  if (to !== undefined && !(entry.timestamp !== undefined && entry.timestamp < to)) return false;
  if (validAt !== undefined && !heldAt(entry, validAt)) return false;
  if (author !== undefined && entry.author !== author) return false;
  if (sessionId !== undefined && entry.sessionId !== sessionId) return false;
  return Object.entries(metadata ?? {}).every(([key, value]) => getOwn(entry.customMetadata ?? {}, key) === value);
}

// Facts alone hold for a time: from `validFrom` (always, without one) to just before `validTo` (for ever, without one).
function heldAt(entry: MemoryHeader, time: number): boolean {
  if (entry.kind !== 'fact') return false;
  return (entry.validFrom ?? -Infinity) <= time && time < (entry.validTo ?? Infinity);
}
