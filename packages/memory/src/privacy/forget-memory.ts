import { textOf } from '@thole/core';
import type { CallOptions, MemoryEntry, MemoryService, UserRef } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import { assertIds, findSameStatements } from '@thole/recall/kit';
import { requireMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';

type ForgetRequest = UserRef & { memory: MemoryService; ids: readonly string[] } & CallOptions;

const forgetNames = optionNames<ForgetRequest>({ appName: true, userId: true, memory: true, ids: true, signal: true });

/** The result of `forgetMemory`. */
export interface ForgottenMemory {
  /** Number of deleted entries: the entries in `ids`, earlier and later versions of a fact, and their evidence. */
  count: number;
  /**
   * Remaining entries that say the same as a deleted entry, or as one of the 50 nearest versions of a fact, most similar first. Offer
   * the user to delete them too.
   */
  remaining: MemoryEntry[];
}

/**
 * Deletes entries as `deleteMemory` does, and searches for remaining entries that say the same: other facts and notes, and turns that
 * were not evidence. Throws `MEMORY_NOT_CONFIGURED` if the service cannot list or delete.
 */
export async function forgetMemory(p: ForgetRequest): Promise<ForgottenMemory> {
  rejectUnknownOptions(p, forgetNames, 'forgetMemory');
  const { appName, userId, ids, signal } = p;
  const memory = requireMemory(p.memory, 'forgetMemory', ['listMemories', 'deleteMemory']);
  assertIds('ids', ids);
  const user = { appName, userId, signal };
  let before = await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] } });
  const known = new Set(before.map(({ id }) => id));
  if (!ids.every((id) => known.has(id)))
    before = [...before, ...(await listAllMemories(memory, { ...user, filter: { kinds: ['turn'] } }))];
  const count = await memory.deleteMemory({ ...user, ids });
  if (count === 0) return { count, remaining: [] };
  const texts = versionsOf(ids, before).map((entry) => textOf(entry.content));
  return { count, remaining: await findSameStatements(memory, { ...user, texts }) };
}

/** Returns the entries with these ids, and then earlier and later versions of facts and notes, the nearest versions first. */
function versionsOf(ids: readonly string[], entries: readonly MemoryEntry[]): MemoryEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const earlier = Map.groupBy(entries, ({ supersededBy }) => supersededBy);
  const selectedIds = new Set(ids);
  // The loop also visits the ids that it adds.
  for (const id of selectedIds) {
    for (const entry of earlier.get(id) ?? []) selectedIds.add(entry.id);
    const later = byId.get(id)?.supersededBy;
    if (later !== undefined) selectedIds.add(later);
  }
  return [...selectedIds].flatMap((id) => byId.get(id) ?? []);
}
