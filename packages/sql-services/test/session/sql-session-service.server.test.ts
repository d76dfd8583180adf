import { DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import { leaseStoreCases, register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'pgbouncer', 'mariadb'] as const) {
  describeWith(kind, `suites on ${kind}`, (dbUrl) => {
    const tablePrefix = `suite_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    const database = { dbUrl, tablePrefix };
    afterAll(() => tables.close());

    register({ describe, it }, [...leaseStoreCases, ...sessionStoreCases], {
      name: `SqlSessionStore (${kind})`,
      claims: ['lease', 'watch'],
      async create(runtime) {
        await tables.empty();
        return new SqlSessionStore({ ...database, runtime });
      },
      destroy: (store) => (store as SqlSessionStore).close(),
    });

    register({ describe, it }, sessionServiceCases, {
      name: `DatabaseSessionService (${kind})`,
      claims: ['lease', 'watch', 'durable'],
      async create(runtime) {
        await tables.empty();
        return new DatabaseSessionService({ ...database, runtime });
      },
      reopen: (_, runtime) => new DatabaseSessionService({ ...database, runtime }),
      destroy: (service) => (service as DatabaseSessionService).close(),
    });

    register(
      { describe, it },
      sessionServiceCases.filter((each) => each.needs?.includes('ttl-60s')),
      {
        name: `DatabaseSessionService (${kind}, sessionTtlMs: 60,000)`,
        claims: ['ttl-60s'],
        async create(runtime) {
          await tables.empty();
          return new DatabaseSessionService({ ...database, runtime, sessionTtlMs: 60_000 });
        },
        destroy: (service) => (service as DatabaseSessionService).close(),
      },
    );
  });
}
