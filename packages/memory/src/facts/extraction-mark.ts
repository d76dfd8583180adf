import type { MemoryEntry } from '@thole/core';

/** Metadata key of turns whose facts have been extracted. */
const EXTRACTED_KEY = 'thole:extracted';

/** True if the facts of this turn have been extracted. */
export function hasExtractedFacts({ customMetadata }: MemoryEntry): boolean {
  return customMetadata !== undefined && Object.hasOwn(customMetadata, EXTRACTED_KEY);
}

/** Returns a change of a turn that keeps the given metadata and marks its facts as extracted. */
export function addMark({ customMetadata }: Pick<MemoryEntry, 'customMetadata'>): Pick<MemoryEntry, 'customMetadata'> {
  return { customMetadata: { ...customMetadata, [EXTRACTED_KEY]: true } };
}

/** Returns the entry without the mark, for callers. */
export function removeMark(entry: MemoryEntry): MemoryEntry {
  if (!hasExtractedFacts(entry)) return entry;
  const { [EXTRACTED_KEY]: _, ...rest } = entry.customMetadata!;
  const { customMetadata: __, ...others } = entry;
  return Object.keys(rest).length > 0 ? { ...others, customMetadata: rest } : others;
}
