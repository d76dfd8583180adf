import { raceAbort } from '@thole/core/kit';
import type { MemoryEntry, MemoryFilter, MemoryScope, MemoryStore, StoredMemory } from '@thole/core';
import { hasExpired, matchesFilter } from './matches-filter.ts';
import type { Scored } from './scored.ts';
import { thawEntry } from './thaw-entry.ts';

/** Returns the entries of ranked ids in the same order, with their scores. Leaves out entries that no longer match. */
export async function loadResults(
  found: readonly Scored[],
  p: {
    store: MemoryStore;
    scope: MemoryScope;
    filter: MemoryFilter | undefined;
    /** Current time in seconds. */
    now: number;
    signal: AbortSignal | undefined;
  },
): Promise<MemoryEntry[]> {
  const { store, scope, filter, now, signal } = p;
  const ids = found.map(({ id }) => id);
  const entryOf = entriesById(await raceAbort(store.get(scope, ids), signal));
  const memories: MemoryEntry[] = [];
  for (const { id, score, relevance, explanation } of found) {
    const entry = entryOf(id);
    // The entry may have been removed or changed since the index was read.
    if (!entry || hasExpired(entry, now) || (filter && !matchesFilter(entry, filter))) continue;
    const memory = thawEntry(entry);
    memory.score = score;
    if (relevance !== undefined) memory.relevance = relevance;
    if (explanation) memory.explanation = explanation;
    memories.push(memory);
  }
  return memories;
}

/** Returns a function that finds entries by id. It needs no map if the store has returned them in the requested order. */
function entriesById(stored: readonly StoredMemory[]): (id: string) => MemoryEntry | undefined {
  let next = 0;
  let byId: ReadonlyMap<string, MemoryEntry> | undefined;
  return (id) => {
    if (stored[next]?.entry.id === id) return stored[next++]!.entry;
    byId ??= new Map(stored.map(({ entry }) => [entry.id, entry]));
    return byId.get(id);
  };
}
