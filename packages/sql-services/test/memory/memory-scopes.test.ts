import { SqlMemoryStore } from '@thole/sql-services';
import { describe, onTestFinished } from 'vitest';
import { checkMemoryScopes, checkScopeMutants } from '../../../../test/mutants/check-memory-scopes.ts';

describe('Memory scopes', () => {
  const fresh = () => {
    const store = new SqlMemoryStore({ dbUrl: 'sqlite://:memory:' });
    onTestFinished(() => store.close());
    return store;
  };
  checkMemoryScopes('SQLite', fresh, 1_200);
  checkScopeMutants('SQLite', fresh);
});
