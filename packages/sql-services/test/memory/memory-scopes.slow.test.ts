import { SqlMemoryStore } from '@thole/sql-services';
import { describe, onTestFinished } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { catchScopeMutants, compareWithMemory } from '../../../../test/mutants/check-memory-scopes.ts';

describe('Memory scopes', () => {
  const createStore = (): SqlMemoryStore => {
    const store = new SqlMemoryStore({ dbUrl: 'sqlite://:memory:' });
    onTestFinished(() => store.close());
    return store;
  };
  compareWithMemory('SQLite', createStore, randomCases(400, 1_200));
  catchScopeMutants('SQLite', createStore, randomCases(400, 1_200));
});
