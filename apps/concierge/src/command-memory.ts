import { textOf } from '@thole/core';
import type { MemoryService } from '@thole/core';

/** Wraps the memory of the chat's commands: words notes before they are stored, and reports deletions. */
export function commandMemory(
  memory: Required<MemoryService>,
  p: { wordNote: (fact: string) => string; onForgotten: () => void },
): Required<MemoryService> {
  const reported = async (count: Promise<number>): Promise<number> => {
    if ((await count) > 0) p.onForgotten();
    return count;
  };
  return {
    addSessionToMemory: (session, call) => memory.addSessionToMemory(session, call),
    addEventsToMemory: (request) => memory.addEventsToMemory(request),
    addMemory: ({ memories, ...request }) => {
      const worded = memories?.map((each) => ({
        ...each,
        content: { parts: [{ text: p.wordNote(textOf(each.content)) }] },
      }));
      return memory.addMemory({ ...request, memories: worded });
    },
    getMemory: (request) => memory.getMemory(request),
    findSameMemories: (request) => memory.findSameMemories(request),
    updateMemory: (request) => memory.updateMemory(request),
    searchMemory: (request) => memory.searchMemory(request),
    listMemories: (request) => memory.listMemories(request),
    deleteMemory: (request) => reported(memory.deleteMemory(request)),
    deleteSessionMemory: (request) => reported(memory.deleteSessionMemory(request)),
    deleteUserMemory: async (request) => {
      const count = await memory.deleteUserMemory(request);
      // Also if memory was empty: the current conversation may contain what the guest wants to delete.
      p.onForgotten();
      return count;
    },
  };
}
