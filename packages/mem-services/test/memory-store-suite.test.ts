import { InMemoryMemoryStore } from '@thole/mem-services';
import { memoryStoreCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

const isSegmented = new InMemoryMemoryStore().abilities.segmented !== undefined;

register({ describe, it }, memoryStoreCases, {
  name: 'InMemoryMemoryStore',
  claims: ['shared', 'users', ...(isSegmented ? ['segmented'] : [])],
  create: () => new InMemoryMemoryStore(),
  // Another instance would have other entries.
  reopen: (store) => store,
});
