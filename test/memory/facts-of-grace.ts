import type { MemoryService } from '@thole/core';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactRequest } from '@thole/memory/facts';

/** Facts without a model: whatever the user says of Grace is one. */
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
