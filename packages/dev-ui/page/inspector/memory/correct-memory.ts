import type { MemoryClient } from '@thole/client';
import type { MemoryEntry, UserRef } from '@thole/core';

/** A correction under way. Made once for one correction: done again after a failure, it makes nothing twice. */
export interface Correction {
  /** The id of the entry that has taken the place of the other. */
  made?: string | undefined;
}

/**
 * Puts words in the place of others and answers the id that they are found by. A fact ends, and another that rests on the same and
 * holds as long takes its place, so that its history is kept; other entries are changed as they stand. `now` is in seconds.
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
  const fact = {
    kind: 'fact' as const,
    content,
    validFrom: since,
    ...{ author, evidence, validTo, supersededBy, customMetadata },
  };
  const [made] = await memory.add({ ...user, memories: [{ ...fact, id: correction.made }] });
  correction.made = made!.id;
  await memory.update({ ...user, id: entry.id, change: { validTo: since, supersededBy: made!.id } });
  return made!.id;
}
