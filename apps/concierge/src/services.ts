import type { Environment, MemoryService, Runtime, SessionService } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { openSessions } from './open-sessions.ts';

export interface Services {
  sessionService: SessionService;
  /** Absent when the concierge is to remember nothing. */
  memoryService?: MemoryService | undefined;
}

/** Conversations in a database that the environment names; memories in this process, until it ends. */
export async function openServices(p: {
  memory: boolean;
  runtime: Runtime;
  env: Environment;
}): Promise<{ services: Services; close: () => Promise<void> }> {
  const { memory, runtime } = p;
  const { sessionService, close } = await openSessions(p);
  return {
    services: { sessionService, ...(memory && { memoryService: new InMemoryMemoryService({ runtime }) }) },
    close,
  };
}
