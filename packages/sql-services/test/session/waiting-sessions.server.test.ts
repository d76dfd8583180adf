import { DatabaseSessionService } from '@thole/sql-services';
import { afterAll, beforeEach, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';
import { waitingSessionTests } from '../support/waiting-session-tests.ts';

const tablePrefix = 'waiting_';

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `A waiting session (${kind})`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, tablePrefix);
    beforeEach(() => tables.empty());
    afterAll(() => tables.close());

    waitingSessionTests((options) => {
      const service = new DatabaseSessionService({ dbUrl, tablePrefix, ...options });
      onTestFinished(() => service.close());
      return service;
    });
  });
}
