import { thawJson } from '@thole/core/kit';
import type { Content, Json, MemoryEntry, Part } from '@thole/core';

/** Returns a copy of a frozen entry that callers may change. */
export function thawEntry(entry: MemoryEntry): MemoryEntry {
  // Faster than `thawJson`: most entries have one text, and a search spends much of its time here.
  const copy = { ...entry, content: thawContent(entry.content) };
  if (entry.evidence) copy.evidence = [...entry.evidence];
  if (entry.topics) copy.topics = [...entry.topics];
  if (entry.scope) copy.scope = { ...entry.scope };
  if (entry.customMetadata) copy.customMetadata = thawJson(entry.customMetadata);
  return copy;
}

function thawContent(content: Content): Content {
  const copy = { ...content };
  const { parts } = content;
  if (parts) copy.parts = parts.length === 1 ? [thawPart(parts[0]!)] : parts.map(thawPart);
  return copy;
}

function thawPart(part: Part): Part {
  for (const name in part) if (name !== 'text') return thawJson(part as unknown as Json) as unknown as Part;
  return { text: part.text };
}
