import { VectorMemoryService } from '@thole/mem-services';
import { HashEmbedder, memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

// `pnpm check` runs the suite over stores of the caller.
register({ describe, it }, memoryServiceCases, {
  name: 'VectorMemoryService',
  claims: [...memoryAbilities, 'cosine'],
  create: (runtime) => new VectorMemoryService({ embedder: new HashEmbedder(), runtime }),
});

register({ describe, it }, memoryServiceCases, {
  name: 'VectorMemoryService (hybrid)',
  claims: memoryAbilities,
  create: (runtime) => new VectorMemoryService({ embedder: new HashEmbedder(), ranking: 'hybrid', runtime }),
});
