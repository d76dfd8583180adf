import type { MemoryEntry } from '@thole/core';

/** What a memory says. */
export function memoryText({ content }: MemoryEntry): string {
  return (content.parts ?? []).map((part) => part.text ?? '').join('\n');
}
