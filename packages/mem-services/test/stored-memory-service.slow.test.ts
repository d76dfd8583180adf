import { InMemoryMemoryStore } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import { memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

const stores = new WeakMap<StoredMemoryService, InMemoryMemoryStore>();

register({ describe, it }, memoryServiceCases, {
  name: 'StoredMemoryService with indexBytes: 0, reopened over the same store',
  claims: [...memoryAbilities, 'words', 'shared'],
  create(runtime) {
    const store = new InMemoryMemoryStore();
    const service = new StoredMemoryService(store, { runtime, indexBytes: 0 });
    stores.set(service, store);
    return service;
  },
  reopen: (service, runtime) => new StoredMemoryService(stores.get(service as StoredMemoryService)!, { runtime }),
});
