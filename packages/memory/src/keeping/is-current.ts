import type { MemoryEntry } from '@thole/core';

/** Whether an entry is true still, at a time in seconds: nothing has taken its place, and its time has not ended. */
export function isCurrent({ supersededBy, validTo }: MemoryEntry, now: number): boolean {
  return supersededBy === undefined && (validTo === undefined || validTo > now);
}
