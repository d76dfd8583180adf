import { SqlMemoryStore } from '@thole/sql-services';
import { afterAll, onTestFinished } from 'vitest';
import { catchScopeMutants, compareWithMemory } from '../../../../test/mutants/check-memory-scopes.ts';
import { describeWith, isLong, rounds } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `Memory scopes on ${kind}`, (dbUrl) => {
    const tablePrefix = `scopes_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    afterAll(() => tables.close());

    const createStore = async (): Promise<SqlMemoryStore> => {
      await tables.empty();
      const store = new SqlMemoryStore({ dbUrl, tablePrefix, timeoutMs: 300_000 });
      onTestFinished(() => store.close());
      return store;
    };
    compareWithMemory(kind, createStore, rounds(400, 1_200));
    if (isLong) catchScopeMutants(kind, createStore, 1_200);
  });
}
