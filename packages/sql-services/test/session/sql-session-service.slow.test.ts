import { DatabaseSessionService } from '@thole/sql-services';
import { register, sessionServiceCases } from '@thole/testing';
import { describe, it } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();

register({ describe, it }, sessionServiceCases, {
  name: 'DatabaseSessionService (SQLite file)',
  claims: ['lease', 'watch', 'durable'],
  create: (runtime) => files.create((dbUrl) => new DatabaseSessionService({ dbUrl, runtime })),
  reopen: (service, runtime) => new DatabaseSessionService({ dbUrl: files.urlOf(service), runtime }),
  destroy: (service) => (service as DatabaseSessionService).close(),
});

register({ describe, it }, sessionServiceCases, {
  name: 'DatabaseSessionService (SQLite in memory)',
  claims: ['lease', 'watch'],
  create: (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime }),
  destroy: (service) => (service as DatabaseSessionService).close(),
});
