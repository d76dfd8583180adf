import { ClientError } from '@thole/client';
import type { MemoryClient } from '@thole/client';
import type { MemoryEntry, UserRef } from '@thole/core';

/**
 * Deletes a memory. Returns other memories with the same content, so that the page can offer to delete them too. With
 * `keepEvidence` it returns an empty list, because the evidence says the same and the user keeps it.
 */
export async function forgetMemory(
  memory: Pick<MemoryClient, 'findSame' | 'forget'>,
  p: UserRef & { id: string; keepEvidence: boolean },
): Promise<MemoryEntry[]> {
  const { appName, userId, id, keepEvidence } = p;
  const same = keepEvidence ? [] : await findSame(memory, { appName, userId, id });
  await memory.forget({ appName, userId, id, keepEvidence });
  return same;
}

/** Returns an empty list if the service cannot find such memories, or if the memory does not exist any more. */
async function findSame(memory: Pick<MemoryClient, 'findSame'>, p: UserRef & { id: string }): Promise<MemoryEntry[]> {
  try {
    return await memory.findSame(p);
  } catch (error) {
    if (ClientError.is(error, 'MEMORY_NOT_CONFIGURED') || ClientError.is(error, 'NOT_FOUND')) return [];
    throw error;
  }
}
