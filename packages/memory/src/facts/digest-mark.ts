import type { MemoryEntry } from '@thole/core';

/** Metadata key of turns whose facts have been extracted. */
const DIGESTED_KEY = 'thole:digested';

/** True if the facts of this turn have been extracted. */
export function isDigested({ customMetadata }: MemoryEntry): boolean {
  return customMetadata !== undefined && Object.hasOwn(customMetadata, DIGESTED_KEY);
}

/** Returns the change that marks a turn as digested. */
export function markOf({ customMetadata }: MemoryEntry): Pick<MemoryEntry, 'customMetadata'> {
  return { customMetadata: { ...customMetadata, [DIGESTED_KEY]: true } };
}

/** Returns the entry without the mark, for callers. */
export function withoutMark(entry: MemoryEntry): MemoryEntry {
  if (!isDigested(entry)) return entry;
  const { [DIGESTED_KEY]: _, ...rest } = entry.customMetadata!;
  const { customMetadata: __, ...others } = entry;
  return Object.keys(rest).length > 0 ? { ...others, customMetadata: rest } : others;
}
