import type { MemoryService } from '@thole/core';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactRequest } from '@thole/memory/facts';

/** Returns a memory service that makes facts without a model: each text of the user that mentions Grace is a fact. */
export function factsOfGrace(memory: MemoryService): FactMemoryService {
  const extractor = {
    specVersion: 1 as const,
    extract: async ({ turns }: FactRequest) =>
      turns
        .filter(({ author, text }) => author === 'user' && text.includes('Grace'))
        .map(({ id, text }) => ({ op: 'add', text, evidence: [id] })),
  };
  return new FactMemoryService({ memory, extractor });
}
