import type { MemoryEntry, UserRef } from '@thole/core';
import type { FullMemory } from '../full-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';

/** A fact or note as it stands now, past ones too. */
export async function findEntry(memory: FullMemory, user: UserRef, id: string): Promise<MemoryEntry | undefined> {
  const entries = await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] } });
  return entries.find((entry) => entry.id === id);
}
