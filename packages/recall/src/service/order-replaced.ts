import type { MemoryEntry } from '@thole/core';

/**
 * Returns results with each replaced fact behind its replacement, if both are results: a fact that is before it moves directly
 * behind it and gets at most its score. A ranking by words also returns replacements without a query word.
 */
export function orderReplaced(memories: MemoryEntry[]): MemoryEntry[] {
  if (memories.every(({ supersededBy }) => supersededBy === undefined)) return memories;
  const later = new Set(memories.map(({ id }) => id));
  /** By id of a later result: the facts that it replaces. */
  const waiting = new Map<string, MemoryEntry[]>();
  const ordered: MemoryEntry[] = [];
  const add = (memory: MemoryEntry, maxScore: number): void => {
    if (memory.score !== undefined) memory.score = Math.min(memory.score, maxScore);
    ordered.push(memory);
    for (const replaced of waiting.get(memory.id) ?? []) add(replaced, memory.score ?? maxScore);
  };
  for (const memory of memories) {
    later.delete(memory.id);
    const { supersededBy = '' } = memory;
    if (later.has(supersededBy)) waiting.set(supersededBy, [...(waiting.get(supersededBy) ?? []), memory]);
    else add(memory, Infinity);
  }
  return ordered;
}
