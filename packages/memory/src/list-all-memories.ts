import type { CallOptions, MemoryEntry, MemoryFilter, MemoryService, UserRef } from '@thole/core';

const ENTRIES_PER_PAGE = 500;

/**
 * Returns all entries of a user that match the filter, each once. An entry that is changed meanwhile moves to the end of the list:
 * its new version is returned.
 */
export async function listAllMemories(
  memory: Required<Pick<MemoryService, 'listMemories'>>,
  p: UserRef & { filter: MemoryFilter } & CallOptions,
): Promise<MemoryEntry[]> {
  const { appName, userId, filter, signal } = p;
  const entries = new Map<string, MemoryEntry>();
  let cursor: string | undefined;
  do {
    const page = await memory.listMemories({ appName, userId, filter, limit: ENTRIES_PER_PAGE, cursor, signal });
    for (const entry of page.memories) {
      entries.delete(entry.id);
      entries.set(entry.id, entry);
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return [...entries.values()];
}

/** Returns the ids of all turns of a user, or of one session. */
export async function listTurnIds(
  memory: Required<Pick<MemoryService, 'listMemories'>>,
  { appName, userId }: UserRef,
  sessionId?: string,
): Promise<Set<string>> {
  const turns = await listAllMemories(memory, { appName, userId, filter: { kinds: ['turn'], sessionId } });
  return new Set(turns.map(({ id }) => id));
}
