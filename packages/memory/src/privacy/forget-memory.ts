import { textOf } from '@thole/core';
import type { CallOptions, MemoryEntry, MemoryService, UserRef } from '@thole/core';
import { assertIds, findSameStatements } from '@thole/recall/kit';
import { requireMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';

/** The result of `forgetMemory`. */
export interface ForgottenMemory {
  /** Number of deleted entries: the entries in `ids`, earlier and later versions of a fact, and their evidence. */
  count: number;
  /** Remaining entries that say the same as a deleted entry, most similar first. Offer the user to delete them too. */
  remaining: MemoryEntry[];
}

/**
 * Deletes entries as `deleteMemory` does, and searches for remaining entries that say the same: other facts and notes, and turns that
 * were not evidence. Throws `MEMORY_NOT_CONFIGURED` if the service cannot list or delete.
 */
export async function forgetMemory(
  service: MemoryService,
  { appName, userId, ids, signal }: UserRef & { ids: readonly string[] } & CallOptions,
): Promise<ForgottenMemory> {
  const memory = requireMemory(service, 'forgetMemory', ['listMemories', 'deleteMemory']);
  assertIds('ids', ids);
  const user = { appName, userId, signal };
  const before = await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] } });
  const isKnown = (id: string): boolean => before.some((entry) => entry.id === id);
  if (!ids.every(isKnown)) before.push(...(await listAllMemories(memory, { ...user, filter: { kinds: ['turn'] } })));
  const count = await memory.deleteMemory({ ...user, ids });
  if (count === 0) return { count, remaining: [] };
  const texts = versionsOf(ids, before).map((entry) => textOf(entry.content));
  return { count, remaining: await findSameStatements(memory, { ...user, texts }) };
}

/** Returns the entries with these ids. For facts and notes, also returns their earlier and later versions. */
function versionsOf(ids: readonly string[], entries: readonly MemoryEntry[]): MemoryEntry[] {
  const selectedIds = new Set(ids);
  for (let before = -1; before < selectedIds.size;) {
    before = selectedIds.size;
    for (const { id, supersededBy } of entries)
      if (supersededBy !== undefined && (selectedIds.has(id) || selectedIds.has(supersededBy)))
        selectedIds.add(id).add(supersededBy);
  }
  return entries.filter(({ id }) => selectedIds.has(id));
}
