import { InMemoryMemoryStore } from '@thole/mem-services';
import { memoryStoreCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

const isSegmented = new InMemoryMemoryStore().abilities.segmented !== undefined;

register({ describe, it }, memoryStoreCases, {
  name: 'InMemoryMemoryStore',
  claims: ['shared', 'users', 'history', ...(isSegmented ? ['segmented'] : [])],
  create: () => new InMemoryMemoryStore(),
  // A new instance would be empty.
  reopen: (store) => store,
});
