import { DatabaseArtifactService } from '@thole/sql-services';
import { artifactServiceCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const maxBytes = 65_536;

register({ describe, it }, artifactServiceCases, {
  name: 'DatabaseArtifactService (SQLite)',
  claims: ['durable'],
  create: (runtime) => files.create((dbUrl) => new DatabaseArtifactService({ dbUrl, runtime, maxBytes })),
  reopen: (service, runtime) => new DatabaseArtifactService({ dbUrl: files.urlOf(service), runtime, maxBytes }),
  destroy: (service) => (service as DatabaseArtifactService).close(),
});
