import type { MemoryService, Runtime, SessionService } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';

export interface Services {
  sessionService: SessionService;
  /** Absent when the concierge is to remember nothing. */
  memoryService?: MemoryService | undefined;
}

/** Where conversations and memories are kept: in this process, until it ends. */
export function createServices(p: { memory: boolean; runtime: Runtime }): Services {
  const { memory, runtime } = p;
  return {
    sessionService: new InMemorySessionService({ runtime }),
    ...(memory && { memoryService: new InMemoryMemoryService({ runtime }) }),
  };
}
