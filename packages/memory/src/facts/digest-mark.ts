import type { MemoryEntry } from '@thole/core';

/** Stands in the metadata of turns of which facts were made. */
const MARK = 'thole:digested';

/** Whether facts were made of this turn. */
export function isDigested({ customMetadata }: MemoryEntry): boolean {
  return customMetadata !== undefined && Object.hasOwn(customMetadata, MARK);
}

/** What to change in a turn to say that facts were made of it. */
export function markOf({ customMetadata }: MemoryEntry): Pick<MemoryEntry, 'customMetadata'> {
  return { customMetadata: { ...customMetadata, [MARK]: true } };
}

/** The entry as callers see it: the mark is nobody else's business. */
export function withoutMark(entry: MemoryEntry): MemoryEntry {
  if (!isDigested(entry)) return entry;
  const { [MARK]: _, ...rest } = entry.customMetadata!;
  const { customMetadata: __, ...others } = entry;
  return Object.keys(rest).length > 0 ? { ...others, customMetadata: rest } : others;
}
