import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import type { MemoryService } from '@thole/core';

/** A memory service with every ability. */
export type FullMemory = Required<MemoryService>;

const ALL = [
  ...(['addSessionToMemory', 'searchMemory', 'addEventsToMemory', 'addMemory', 'getMemory'] as const),
  ...(['updateMemory', 'listMemories', 'deleteMemory', 'deleteSessionMemory', 'deleteUserMemory'] as const),
] satisfies readonly (keyof MemoryService)[];

/** The service, with these methods (all, unless some are named) sure to be there: `MEMORY_NOT_CONFIGURED` names the first that is not. */
export function fullMemory<K extends keyof MemoryService = keyof MemoryService>(
  memory: unknown,
  where: string,
  needed: readonly K[] = ALL as readonly (keyof MemoryService)[] as readonly K[],
): MemoryService & Required<Pick<MemoryService, K>> {
  if (typeof memory !== 'object' || memory === null) throw invalidInput('memory', 'a MemoryService', memory);
  for (const name of needed) {
    if (typeof (memory as Partial<MemoryService>)[name] !== 'function')
      throw new TholeError('MEMORY_NOT_CONFIGURED', `${where} needs a memory service with ${name}.`);
  }
  return memory as MemoryService & Required<Pick<MemoryService, K>>;
}
