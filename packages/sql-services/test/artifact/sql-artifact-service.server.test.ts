import { DatabaseArtifactService } from '@thole/sql-services';
import { artifactServiceCases, register } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

for (const kind of ['postgres', 'pgbouncer', 'mariadb'] as const) {
  describeWith(kind, `artifact suite on ${kind}`, (dbUrl) => {
    const tablePrefix = `artifacts_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    const options = { dbUrl, tablePrefix, maxBytes: 65_536 };
    afterAll(() => tables.close());

    register({ describe, it }, artifactServiceCases, {
      name: `DatabaseArtifactService (${kind})`,
      claims: ['durable'],
      async create(runtime) {
        await tables.empty();
        return new DatabaseArtifactService({ ...options, runtime });
      },
      reopen: (_, runtime) => new DatabaseArtifactService({ ...options, runtime }),
      destroy: (service) => (service as DatabaseArtifactService).close(),
    });
  });
}
