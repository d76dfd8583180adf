import type { MemoryEntry, UserRef } from '@thole/core';
import type { FullMemory } from '../require-memory.ts';

/** Returns a stored fact or note, current or past. */
export async function findEntry(memory: FullMemory, user: UserRef, id: string): Promise<MemoryEntry | undefined> {
  const entry = await memory.getMemory({ ...user, id });
  return entry?.kind === 'turn' ? undefined : entry;
}
