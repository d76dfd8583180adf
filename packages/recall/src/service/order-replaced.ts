import type { MemoryEntry } from '@thole/core';

/**
 * Returns results in which each replaced fact is behind its replacement, if both are results. A replaced fact that was before its
 * replacement moves directly behind it, with at most its score. A ranking by words also returns replacements without a query word.
 */
export function orderReplaced(memories: MemoryEntry[]): MemoryEntry[] {
  if (memories.every(({ supersededBy }) => supersededBy === undefined)) return memories;
  const laterIds = new Set(memories.map(({ id }) => id));
  /** By id of a later result: the facts that it replaces. */
  const replacedBy = new Map<string, MemoryEntry[]>();
  const ordered: MemoryEntry[] = [];
  const add = (memory: MemoryEntry, maxScore: number): void => {
    if (memory.score !== undefined) memory.score = Math.min(memory.score, maxScore);
    ordered.push(memory);
    for (const replaced of replacedBy.get(memory.id) ?? []) add(replaced, memory.score ?? maxScore);
  };
  for (const memory of memories) {
    laterIds.delete(memory.id);
    const { supersededBy = '' } = memory;
    if (laterIds.has(supersededBy)) replacedBy.set(supersededBy, [...(replacedBy.get(supersededBy) ?? []), memory]);
    else add(memory, Infinity);
  }
  return ordered;
}
