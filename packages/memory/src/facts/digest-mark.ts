import type { MemoryEntry } from '@thole/core';

/** Stands in the metadata of turns of which facts were made. */
const DIGESTED_KEY = 'thole:digested';

/** Whether facts were made of this turn. */
export function isDigested({ customMetadata }: MemoryEntry): boolean {
  return customMetadata !== undefined && Object.hasOwn(customMetadata, DIGESTED_KEY);
}

/** What to change in a turn to say that facts were made of it. */
export function markOf({ customMetadata }: MemoryEntry): Pick<MemoryEntry, 'customMetadata'> {
  return { customMetadata: { ...customMetadata, [DIGESTED_KEY]: true } };
}

/** The entry as callers see it: the mark is nobody else's business. */
export function withoutMark(entry: MemoryEntry): MemoryEntry {
  if (!isDigested(entry)) return entry;
  const { [DIGESTED_KEY]: _, ...rest } = entry.customMetadata!;
  const { customMetadata: __, ...others } = entry;
  return Object.keys(rest).length > 0 ? { ...others, customMetadata: rest } : others;
}
