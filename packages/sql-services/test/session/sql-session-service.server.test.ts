import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { artifactServiceCases, register, sessionServiceCases } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'pgbouncer', 'mariadb'] as const) {
  describeWith(kind, `the suites on ${kind}`, (dbUrl) => {
    const tablePrefix = `suite_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    const place = { dbUrl, tablePrefix };
    afterAll(() => tables.close());

    register({ describe, it }, sessionServiceCases, {
      name: `DatabaseSessionService (${kind})`,
      claims: ['lease', 'watch', 'durable'],
      async create(runtime) {
        await tables.empty();
        return new DatabaseSessionService({ ...place, runtime });
      },
      reopen: (_, runtime) => new DatabaseSessionService({ ...place, runtime }),
      destroy: (service) => (service as DatabaseSessionService).close(),
    });

    register(
      { describe, it },
      sessionServiceCases.filter((each) => each.needs?.includes('ttl-60s')),
      {
        name: `DatabaseSessionService (${kind}, sessions of 60 seconds)`,
        claims: ['ttl-60s'],
        async create(runtime) {
          await tables.empty();
          return new DatabaseSessionService({ ...place, runtime, sessionTtlMs: 60_000 });
        },
        destroy: (service) => (service as DatabaseSessionService).close(),
      },
    );

    register({ describe, it }, artifactServiceCases, {
      name: `DatabaseArtifactService (${kind})`,
      claims: ['durable'],
      async create(runtime) {
        await tables.empty();
        return new DatabaseArtifactService({ ...place, runtime, maxBytes: 65_536 });
      },
      reopen: (_, runtime) => new DatabaseArtifactService({ ...place, runtime, maxBytes: 65_536 }),
      destroy: (service) => (service as DatabaseArtifactService).close(),
    });
  });
}
