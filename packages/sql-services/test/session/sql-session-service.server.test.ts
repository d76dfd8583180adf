import { createEvent } from '@thole/core';
import { DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import { leaseStoreCases, register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import { afterAll, describe, expect, it } from 'vitest';
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

    it('writes and prunes very many keys of state of a session in linear time', async () => {
      await tables.empty();
      const service = new DatabaseSessionService(database);
      const keys = (start: string) => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${start}${i}`, i]));
      const createdAt = performance.now();
      const session = await service.createSession({ appName: 'app', userId: 'u', state: keys('old') });
      const stateDelta = { ...keys('new'), old0: null };
      const start = performance.now();
      await service.appendEvent({ session, event: createEvent({ author: 'user', actions: { stateDelta } }) });
      expect(await service.pruneEvents({ appName: 'app', keepLast: 0 })).toBe(1);
      // Linear time is as long as the creation of the session, quadratic time 100 times as long.
      expect(performance.now() - start).toBeLessThan(20 * (start - createdAt));
      const read = await service.getSession({ appName: 'app', userId: 'u', sessionId: session.id });
      expect(Object.keys(read!.state)).toHaveLength(19_999);
      await service.close();
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
