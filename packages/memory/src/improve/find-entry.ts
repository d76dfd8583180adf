import type { MemoryEntry, UserRef } from '@thole/core';
import type { FullMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';

/** Returns a stored fact or note, current or past. */
export async function findEntry(memory: FullMemory, user: UserRef, id: string): Promise<MemoryEntry | undefined> {
  const entries = await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] } });
  return entries.find((entry) => entry.id === id);
}
