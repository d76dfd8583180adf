import { SqlMemoryStore } from '@thole/sql-services';
import { describe, onTestFinished } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { catchScopeMutants, compareWithMemory } from '../../../../test/mutants/check-memory-scopes.ts';

describe('Memory scopes', () => {
  const fresh = (): SqlMemoryStore => {
    const store = new SqlMemoryStore({ dbUrl: 'sqlite://:memory:' });
    onTestFinished(() => store.close());
    return store;
  };
  compareWithMemory('SQLite', fresh, randomCases(400, 1_200));
  catchScopeMutants('SQLite', fresh, randomCases(400, 1_200));
});
