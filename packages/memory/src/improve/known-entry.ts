import type { MemoryEntry, UserRef } from '@thole/core';
import type { FullMemory } from '../keeping/full-memory.ts';
import { listAll } from '../keeping/list-all.ts';

/** A fact or note as it stands now, past ones too. */
export async function knownEntry(memory: FullMemory, user: UserRef, id: string): Promise<MemoryEntry | undefined> {
  const entries = await listAll(memory, { ...user, filter: { kinds: ['fact', 'note'] } });
  return entries.find((entry) => entry.id === id);
}
