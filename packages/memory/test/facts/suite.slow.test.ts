import { InMemoryMemoryService, VectorMemoryService } from '@thole/mem-services';
import { RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { DatabaseMemoryService } from '@thole/sql-services';
import { HashEmbedder, memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import type { MemoryService, Runtime } from '@thole/core';
import { describe, it } from 'vitest';
import { isLong } from '../../../../test/servers/long.ts';

const extractor = { specVersion: 1 as const, extract: async () => [] };
const createService = (memory: MemoryService, runtime: Runtime): FactMemoryService =>
  new FactMemoryService({ memory, extractor, extractFromEvents: true, runtime });
const databases = new WeakMap<object, DatabaseMemoryService>();

register({ describe, it }, memoryServiceCases, {
  name: 'FactMemoryService without facts',
  claims: [...memoryAbilities, 'words'],
  create: (runtime) => createService(new InMemoryMemoryService({ runtime }), runtime),
});

// Ranking is the same code over every store. The cases of languages run above and with DatabaseMemoryService.
const isRanking = ({ id }: { id: string }): boolean => id.startsWith('language.');
const casesOfStore = memoryServiceCases.filter((each) => isLong || !isRanking(each));
register({ describe, it }, casesOfStore, {
  name: 'FactMemoryService over SQLite',
  claims: [...memoryAbilities, 'words'],
  create(runtime) {
    const database = new DatabaseMemoryService({ dbUrl: 'sqlite://:memory:', runtime });
    const service = createService(database, runtime);
    databases.set(service, database);
    return service;
  },
  destroy: (service) => databases.get(service)!.close(),
});

register({ describe, it }, memoryServiceCases, {
  name: 'FactMemoryService over vectors',
  claims: [...memoryAbilities, 'cosine'],
  create: (runtime) => createService(new VectorMemoryService({ embedder: new HashEmbedder(), runtime }), runtime),
});

register({ describe, it }, memoryServiceCases, {
  name: 'RedactingMemoryService without changes',
  claims: [...memoryAbilities, 'words'],
  create: (runtime) =>
    new RedactingMemoryService({ memory: new InMemoryMemoryService({ runtime }), redact: (text) => text }),
});
