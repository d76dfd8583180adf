import type { MemoryClient } from '@thole/client';
import type { MemoryEntry, UserRef } from '@thole/core';

/** A correction in progress. With it, a retry after a failure does not create a second entry. */
export interface Correction {
  /** Id of the new entry. */
  newId?: string | undefined;
}

/**
 * Corrects a memory and returns its new id. A fact ends, and a new fact with the same evidence and validity replaces
 * it, so that the history is kept. Other entries are changed in place. `now` is in seconds.
 */
export async function correctMemory(
  memory: Pick<MemoryClient, 'add' | 'update'>,
  p: UserRef & { entry: MemoryEntry; text: string; now: number; correction: Correction },
): Promise<string> {
  const { entry, text, now, correction } = p;
  const user = { appName: p.appName, userId: p.userId };
  const content = { ...entry.content, parts: [{ text }] };
  if (entry.kind !== 'fact') {
    await memory.update({ ...user, id: entry.id, change: { content } });
    return entry.id;
  }
  const { author, evidence, validTo, supersededBy, customMetadata } = entry;
  const since = Math.max(now, entry.validFrom ?? now);
  const inherited = { author, evidence, validTo, supersededBy, customMetadata };
  const fact = { kind: 'fact' as const, content, validFrom: since, ...inherited };
  const [added] = await memory.add({ ...user, memories: [{ ...fact, id: correction.newId }] });
  correction.newId = added!.id;
  await memory.update({ ...user, id: entry.id, change: { validTo: since, supersededBy: added!.id } });
  return added!.id;
}
