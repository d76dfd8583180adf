import { getOwn } from '@thole/core/kit';
import type { MemoryEntry } from '@thole/core';
import type { StoredMemoryFilter } from '@thole/core/kit';

/** An entry without its content: the members that filters check. */
export type MemoryHeader = Omit<MemoryEntry, 'content' | 'score'>;

/** True if an entry meets all conditions of a filter. An entry without a time never meets `from` or `to`. */
export function matchesFilter(entry: MemoryHeader, filter: StoredMemoryFilter): boolean {
  const { kinds, from, to, validAt, author, sessionId, topics, metadata, liveAt, expiredAt } = filter;
  if (kinds && !kinds.includes(entry.kind)) return false;
  if (from !== undefined && !(entry.timestamp !== undefined && entry.timestamp >= from)) return false;
  if (to !== undefined && !(entry.timestamp !== undefined && entry.timestamp < to)) return false;
  if (validAt !== undefined && !isValidAt(entry, validAt)) return false;
  if (author !== undefined && entry.author !== author) return false;
  if (sessionId !== undefined && entry.sessionId !== sessionId) return false;
  if (topics && !entry.topics?.some((topic) => topics.includes(topic))) return false;
  if (liveAt !== undefined && hasExpired(entry, liveAt)) return false;
  if (expiredAt !== undefined && !hasExpired(entry, expiredAt)) return false;
  return Object.entries(metadata ?? {}).every(([key, value]) => getOwn(entry.customMetadata ?? {}, key) === value);
}

/** True if an entry has expired at a time in seconds, so that it is no longer found, listed or returned. */
export function hasExpired({ expiresAt }: Pick<MemoryEntry, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** True if a fact is valid at a time: from `validFrom` until before `validTo`; without them there is no limit. False for other entries. */
function isValidAt(entry: MemoryHeader, time: number): boolean {
  if (entry.kind !== 'fact') return false;
  return (entry.validFrom ?? -Infinity) <= time && time < (entry.validTo ?? Infinity);
}
