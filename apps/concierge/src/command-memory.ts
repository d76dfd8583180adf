import { textOf } from '@thole/core';
import type { MemoryService } from '@thole/core';

/** Wraps the memory of the chat's commands: words notes before they are stored, and reports deletions. */
export function commandMemory(
  memory: MemoryService,
  p: { wordNote: (fact: string) => string; onForgotten: () => void },
): MemoryService {
  const addMemory = memory.addMemory?.bind(memory);
  const deleteMemory = memory.deleteMemory?.bind(memory);
  const deleteUserMemory = memory.deleteUserMemory?.bind(memory);
  const commands: MemoryService = {
    addSessionToMemory: (session, call) => memory.addSessionToMemory(session, call),
    searchMemory: (request) => memory.searchMemory(request),
  };
  if (memory.listMemories) commands.listMemories = memory.listMemories.bind(memory);
  if (addMemory)
    commands.addMemory = ({ memories, ...request }) => {
      const worded = memories?.map((each) => ({
        ...each,
        content: { parts: [{ text: p.wordNote(textOf(each.content)) }] },
      }));
      return addMemory({ ...request, memories: worded });
    };
  if (deleteMemory)
    commands.deleteMemory = async (request) => {
      const count = await deleteMemory(request);
      if (count > 0) p.onForgotten();
      return count;
    };
  if (deleteUserMemory)
    commands.deleteUserMemory = async (request) => {
      const count = await deleteUserMemory(request);
      // Also if memory was empty: the current conversation may contain what the guest wants to delete.
      p.onForgotten();
      return count;
    };
  return commands;
}
