import { getOwn } from '@thole/core/kit';
import type { MemoryEntry } from '@thole/core';
import type { StoredMemoryFilter } from '@thole/core/kit';

/** All of an entry but what was said: what filters ask about. */
export type MemoryHeader = Omit<MemoryEntry, 'content' | 'score'>;

/** Whether an entry meets every condition that is given. An entry without a time is in no span of time. */
export function matchesFilter(entry: MemoryHeader, filter: StoredMemoryFilter): boolean {
  const { kinds, from, to, validAt, author, sessionId, topics, metadata, liveAt, expiredAt } = filter;
  if (kinds && !kinds.includes(entry.kind)) return false;
  if (from !== undefined && !(entry.timestamp !== undefined && entry.timestamp >= from)) return false;
  if (to !== undefined && !(entry.timestamp !== undefined && entry.timestamp < to)) return false;
  if (validAt !== undefined && !heldAt(entry, validAt)) return false;
  if (author !== undefined && entry.author !== author) return false;
  if (sessionId !== undefined && entry.sessionId !== sessionId) return false;
  if (topics && !entry.topics?.some((topic) => topics.includes(topic))) return false;
  if (liveAt !== undefined && hasExpired(entry, liveAt)) return false;
  if (expiredAt !== undefined && !hasExpired(entry, expiredAt)) return false;
  return Object.entries(metadata ?? {}).every(([key, value]) => getOwn(entry.customMetadata ?? {}, key) === value);
}

/** True if an entry is no longer to be found, listed or returned at a time in seconds. */
export function hasExpired({ expiresAt }: Pick<MemoryEntry, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

// Facts alone hold for a time: from `validFrom` (always, without one) to just before `validTo` (for ever, without one).
function heldAt(entry: MemoryHeader, time: number): boolean {
  if (entry.kind !== 'fact') return false;
  return (entry.validFrom ?? -Infinity) <= time && time < (entry.validTo ?? Infinity);
}
