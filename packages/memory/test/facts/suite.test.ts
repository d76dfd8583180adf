import { memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import { FactMemoryService, RedactingMemoryService } from '@thole/memory';
import { InMemoryMemoryService } from '@thole/mem-services';
import { describe, it } from 'vitest';

register({ describe, it }, memoryServiceCases, {
  name: 'FactMemoryService with an extractor that finds nothing',
  claims: [...memoryAbilities, 'words'],
  create: (runtime) =>
    new FactMemoryService({
      memory: new InMemoryMemoryService({ runtime }),
      extractor: { specVersion: 1, extract: async () => [] },
      extractFromEvents: true,
      runtime,
    }),
});

register({ describe, it }, memoryServiceCases, {
  name: 'RedactingMemoryService with nothing to redact',
  claims: [...memoryAbilities, 'words'],
  create: (runtime) =>
    new RedactingMemoryService({ memory: new InMemoryMemoryService({ runtime }), redact: (text) => text }),
});
