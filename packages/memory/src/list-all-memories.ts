import type { CallOptions, MemoryEntry, MemoryFilter, MemoryService, UserRef } from '@thole/core';

const ENTRIES_PER_PAGE = 500;

/** Returns all entries of a user that match the filter. */
export async function listAllMemories(
  memory: Required<Pick<MemoryService, 'listMemories'>>,
  p: UserRef & { filter: MemoryFilter } & CallOptions,
): Promise<MemoryEntry[]> {
  const { appName, userId, filter, signal } = p;
  const entries: MemoryEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.listMemories({ appName, userId, filter, limit: ENTRIES_PER_PAGE, cursor, signal });
    entries.push(...page.memories);
    cursor = page.next;
  } while (cursor !== undefined);
  return entries;
}
