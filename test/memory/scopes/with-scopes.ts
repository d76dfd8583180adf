import type { MemoryScope, MemoryService } from '@thole/core';

/** Returns a service that passes each call on with another scope. */
export function withScopes(
  memory: Required<MemoryService>,
  change: (scope: MemoryScope) => MemoryScope,
): Required<MemoryService> {
  const changed = <T extends MemoryScope>(p: T): T => ({ ...p, ...change({ appName: p.appName, userId: p.userId }) });
  return {
    addSessionToMemory: (session, call) => memory.addSessionToMemory(changed(session), call),
    addEventsToMemory: (p) => memory.addEventsToMemory(changed(p)),
    addMemory: (p) => memory.addMemory(changed(p)),
    getMemory: (p) => memory.getMemory(changed(p)),
    findSameMemories: (p) => memory.findSameMemories(changed(p)),
    updateMemory: (p) => memory.updateMemory(changed(p)),
    searchMemory: (p) => memory.searchMemory(changed(p)),
    listMemories: (p) => memory.listMemories(changed(p)),
    deleteMemory: (p) => memory.deleteMemory(changed(p)),
    deleteSessionMemory: (p) => memory.deleteSessionMemory(changed(p)),
    deleteUserMemory: (p) => memory.deleteUserMemory(changed(p)),
  };
}
