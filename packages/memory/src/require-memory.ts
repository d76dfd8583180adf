import { TholeError } from '@thole/core';
import { invalidInput, optionNames } from '@thole/core/kit';
import type { MemoryService } from '@thole/core';

/** A memory service with all optional methods, except `findSameMemories`, which only that method of a wrapper needs. */
export type FullMemory = Required<Omit<MemoryService, 'findSameMemories'>> & Pick<MemoryService, 'findSameMemories'>;

const allMethods = optionNames<Omit<MemoryService, 'findSameMemories'>>({
  addSessionToMemory: true,
  searchMemory: true,
  addEventsToMemory: true,
  addMemory: true,
  getMemory: true,
  updateMemory: true,
  listMemories: true,
  deleteMemory: true,
  deleteSessionMemory: true,
  deleteUserMemory: true,
});

/** Returns the memory service if it has the needed methods, by default those of `FullMemory`. Otherwise throws `MEMORY_NOT_CONFIGURED`. */
export function requireMemory<K extends keyof MemoryService = Exclude<keyof MemoryService, 'findSameMemories'>>(
  memory: unknown,
  where: string,
  needed: readonly K[] = allMethods as readonly K[],
): MemoryService & Required<Pick<MemoryService, K>> {
  if (typeof memory !== 'object' || memory === null) throw invalidInput('memory', 'a MemoryService', memory);
  for (const name of needed) {
    if (typeof (memory as Partial<MemoryService>)[name] !== 'function')
      throw new TholeError('MEMORY_NOT_CONFIGURED', `${where} needs a memory service with ${name}.`);
  }
  return memory as MemoryService & Required<Pick<MemoryService, K>>;
}
