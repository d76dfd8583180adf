import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { memoryAbilities, memoryServiceCases, memoryStoreCases, register } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';
import { describeWith, isLong } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'pgbouncer', 'mariadb'] as const) {
  describeWith(kind, `memory suites on ${kind}`, (dbUrl) => {
    const tablePrefix = `memory_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    const database = { dbUrl, tablePrefix, timeoutMs: 600_000 };
    afterAll(() => tables.close());

    // PgBouncer passes values unchanged, and the same statements with odd names run on PostgreSQL.
    const needsNames = ({ id }: { id: string }): boolean => id.startsWith('names.');
    const storeCases = memoryStoreCases.filter((each) => isLong || kind !== 'pgbouncer' || !needsNames(each));
    register({ describe, it }, storeCases, {
      name: `SqlMemoryStore (${kind})`,
      claims: ['shared', 'segmented', 'users', 'history'],
      async create(runtime) {
        await tables.empty();
        return new SqlMemoryStore({ ...database, runtime });
      },
      reopen: (_, runtime) => new SqlMemoryStore({ ...database, runtime }),
      destroy: (store) => (store as SqlMemoryStore).close(),
    });

    // PgBouncer affects only connections and statements. Only the store uses these.
    if (kind === 'pgbouncer' && !isLong) return;
    // Ranking is the same code over every store, and stores return texts unchanged (`put.members`).
    const isRanking = ({ id }: { id: string }): boolean => id.startsWith('language.');
    const serviceCases = memoryServiceCases.filter((each) => isLong || !isRanking(each));
    register({ describe, it }, serviceCases, {
      name: `DatabaseMemoryService (${kind})`,
      claims: [...memoryAbilities, 'words', 'shared'],
      async create(runtime) {
        await tables.empty();
        return new DatabaseMemoryService({ ...database, runtime });
      },
      reopen: (_, runtime) => new DatabaseMemoryService({ ...database, runtime }),
      destroy: (service) => (service as DatabaseMemoryService).close(),
    });
  });
}
