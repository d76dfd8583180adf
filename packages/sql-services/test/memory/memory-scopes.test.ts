import { SqlMemoryStore } from '@thole/sql-services';
import { describe, onTestFinished } from 'vitest';
import { checkMemoryScopes } from '../../../../test/mutants/check-memory-scopes.ts';

describe('Memory scopes', () => {
  checkMemoryScopes('SQLite', () => {
    const store = new SqlMemoryStore({ dbUrl: 'sqlite://:memory:' });
    onTestFinished(() => store.close());
    return store;
  });
});
