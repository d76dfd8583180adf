import { thawJson } from '@thole/core';
import type { Json, MemoryEntry, Part } from '@thole/core';

/** A copy of an entry for callers to change as they like. */
export function thawEntry(entry: MemoryEntry): MemoryEntry {
  const { content, evidence, customMetadata } = entry;
  const { parts } = content;
  // Copied by hand: most entries are a text, and a search that is quick spends much of its time here.
  return {
    ...entry,
    content: { ...content, ...(parts && { parts: parts.map(thawPart) }) },
    ...(evidence && { evidence: [...evidence] }),
    ...(customMetadata && { customMetadata: thawJson(customMetadata) }),
  };
}

function thawPart(part: Part): Part {
  for (const name in part) if (name !== 'text') return thawJson(part as unknown as Json) as unknown as Part;
  return { text: part.text };
}
