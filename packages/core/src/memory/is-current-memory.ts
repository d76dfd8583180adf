import type { MemoryEntry } from './memory-entry.ts';

/**
 * Whether an entry is true still, at a time in seconds. One that ends later is, though it is known what takes its place then; one
 * that ended before it began never was.
 */
export function isCurrentMemory(
  { supersededBy, validFrom = -Infinity, validTo }: Pick<MemoryEntry, 'supersededBy' | 'validFrom' | 'validTo'>,
  now: number,
): boolean {
  if (validTo === undefined) return supersededBy === undefined;
  return validTo > now && validTo > validFrom;
}
