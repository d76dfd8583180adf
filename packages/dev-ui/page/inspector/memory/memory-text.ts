import type { MemoryEntry } from '@thole/core';

/** Returns the text of a memory. */
export function memoryText({ content }: MemoryEntry): string {
  return (content.parts ?? []).map((part) => part.text ?? '').join('\n');
}
