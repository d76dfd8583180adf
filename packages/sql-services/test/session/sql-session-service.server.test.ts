import { DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import { leaseStoreCases, register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';
import { describeWith, isLong } from '../../../../test/servers/index.ts';
import { runtimeClock } from '../support/runtime-clock.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'pgbouncer', 'mariadb'] as const) {
  describeWith(kind, `suites on ${kind}`, (dbUrl) => {
    const tablePrefix = `suite_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    const database = { dbUrl, tablePrefix };
    afterAll(() => tables.close());

    const clock = runtimeClock(kind, dbUrl);
    afterAll(() => clock.close());

    const needsClock = ({ id }: { id: string }): boolean => id.startsWith('waiting.');
    const storeCases = [...leaseStoreCases, ...sessionStoreCases];

    register({ describe, it }, storeCases.filter(needsClock), {
      name: `SqlSessionStore (${kind}, with the clock of the test)`,
      claims: ['lease'],
      async create(runtime) {
        await tables.empty();
        return new SqlSessionStore({ ...clock.options(runtime), tablePrefix, runtime });
      },
      destroy: (store) => (store as SqlSessionStore).close(),
    });

    register(
      { describe, it },
      storeCases.filter((each) => !needsClock(each)),
      {
        name: `SqlSessionStore (${kind})`,
        claims: ['lease', 'watch', 'last-event'],
        async create(runtime) {
          await tables.empty();
          return new SqlSessionStore({ ...database, runtime });
        },
        destroy: (store) => (store as SqlSessionStore).close(),
      },
    );

    // PgBouncer affects only connections and statements. Only the store uses these.
    if (kind === 'pgbouncer' && !isLong) return;
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
