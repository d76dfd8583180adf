import { SqlMemoryStore } from '@thole/sql-services';
import { afterAll, onTestFinished } from 'vitest';
import { checkMemoryScopes } from '../../../../test/mutants/check-memory-scopes.ts';
import { describeWith, rounds } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `Memory scopes on ${kind}`, (dbUrl) => {
    const tablePrefix = `scopes_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    afterAll(() => tables.close());

    const fresh = async (): Promise<SqlMemoryStore> => {
      await tables.empty();
      const store = new SqlMemoryStore({ dbUrl, tablePrefix, timeoutMs: 300_000 });
      onTestFinished(() => store.close());
      return store;
    };
    checkMemoryScopes(kind, fresh, rounds(400, 1_200));
  });
}
