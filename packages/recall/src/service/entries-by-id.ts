import type { MemoryEntry, StoredMemory } from '@thole/core';

/** Finds entries that a store answered, by id; where it answered in the order in which they are sought, nothing is looked up. */
export function entriesById(stored: readonly StoredMemory[]): (id: string) => MemoryEntry | undefined {
  let next = 0;
  let byId: ReadonlyMap<string, MemoryEntry> | undefined;
  return (id) => {
    if (stored[next]?.entry.id === id) return stored[next++]!.entry;
    byId ??= new Map(stored.map(({ entry }) => [entry.id, entry]));
    return byId.get(id);
  };
}
