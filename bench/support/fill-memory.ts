import type { MemoryService, Session } from '@thole/core';

/** Puts sessions into memory, one after the other. */
export async function fillMemory(memory: MemoryService, sessions: readonly Session[]): Promise<void> {
  for (const session of sessions) await memory.addSessionToMemory(session);
}
