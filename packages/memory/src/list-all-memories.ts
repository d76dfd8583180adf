import type { CallOptions, MemoryEntry, MemoryFilter, MemoryService, UserRef } from '@thole/core';

const PAGE = 500;

/** Every entry of one user that passes the filter, page after page. */
export async function listAllMemories(
  memory: Required<Pick<MemoryService, 'listMemories'>>,
  p: UserRef & { filter: MemoryFilter } & CallOptions,
): Promise<MemoryEntry[]> {
  const { appName, userId, filter, signal } = p;
  const entries: MemoryEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.listMemories({ appName, userId, filter, limit: PAGE, cursor, signal });
    entries.push(...page.memories);
    cursor = page.next;
  } while (cursor !== undefined);
  return entries;
}
