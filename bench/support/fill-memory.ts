import type { MemoryService, Session } from '@thole/core';

/** Adds sessions to memory one after another. */
export async function fillMemory(memory: MemoryService, sessions: readonly Session[]): Promise<void> {
  for (const session of sessions) await memory.addSessionToMemory(session);
}
