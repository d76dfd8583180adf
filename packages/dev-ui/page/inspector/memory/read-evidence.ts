import type { MemoryClient } from '@thole/client';
import type { MemoryEntry, UserRef } from '@thole/core';

/** One piece of evidence of a fact. */
export interface Evidence {
  id: string;
  /** Undefined if it is not in memory any more. */
  entry: MemoryEntry | undefined;
}

const PAGE = 200;

/**
 * Reads the evidence of a fact in order. Turns are read from the memory of their sessions, up to the last needed turn.
 * Entries in `known` are not requested.
 */
export async function readEvidence(
  memory: Pick<MemoryClient, 'list'>,
  p: UserRef & { ids: readonly string[]; known: readonly MemoryEntry[]; signal?: AbortSignal | undefined },
): Promise<Evidence[]> {
  const { appName, userId, ids, signal } = p;
  const found = new Map(p.known.filter(({ id }) => ids.includes(id)).map((entry) => [entry.id, entry]));
  const missing = ids.filter((id) => !found.has(id));
  for (const [sessionId, wanted] of Map.groupBy(missing, sessionOfTurn)) {
    if (sessionId === undefined) continue;
    let cursor: string | undefined;
    do {
      const filter = { kinds: ['turn' as const], sessionId };
      const page = await memory.list({ appName, userId, filter, limit: PAGE, cursor, signal });
      for (const entry of page.memories) if (wanted.includes(entry.id)) found.set(entry.id, entry);
      cursor = page.next;
    } while (cursor !== undefined && !wanted.every((id) => found.has(id)));
  }
  return ids.map((id) => ({ id, entry: found.get(id) }));
}

/** Returns the session in the id of a turn. Undefined for other ids. */
function sessionOfTurn(id: string): string | undefined {
  try {
    const parts: unknown = JSON.parse(id);
    if (Array.isArray(parts) && parts.length === 2 && parts.every((part) => typeof part === 'string')) return parts[0];
  } catch {
    // Another kind of id.
  }
  return undefined;
}
