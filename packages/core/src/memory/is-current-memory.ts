import type { MemoryEntry } from './memory-entry.ts';

/**
 * True if an entry is valid at a time in seconds. An entry that ends later is valid even if its successor is known.
 * An entry that ended before it began was never valid.
 */
export function isCurrentMemory(
  { supersededBy, validFrom = -Infinity, validTo }: Pick<MemoryEntry, 'supersededBy' | 'validFrom' | 'validTo'>,
  now: number,
): boolean {
  if (validTo === undefined) return supersededBy === undefined;
  return validTo > now && validTo > validFrom;
}
