import type { MemoryEntry } from './memory-entry.ts';

/**
 * True if an entry is valid at a time in seconds. An entry with a later end is valid even if its replacement is
 * known. An entry whose end is not after its start was never valid.
 */
export function isCurrentMemory(
  { supersededBy, validFrom = -Infinity, validTo }: Pick<MemoryEntry, 'supersededBy' | 'validFrom' | 'validTo'>,
  now: number,
): boolean {
  if (validTo === undefined) return supersededBy === undefined;
  return validTo > now && validTo > validFrom;
}
