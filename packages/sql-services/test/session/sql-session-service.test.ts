import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { artifactServiceCases, register, sessionServiceCases } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const urls = new WeakMap<object, string>();

function kept<S extends object>(make: (dbUrl: string) => S): S {
  const dbUrl = `sqlite:///${join(folder, `${count++}.db`)}`;
  const service = make(dbUrl);
  urls.set(service, dbUrl);
  return service;
}

register({ describe, it }, sessionServiceCases, {
  name: 'DatabaseSessionService (SQLite in memory)',
  claims: ['lease', 'watch'],
  create: (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime }),
  destroy: (service) => (service as DatabaseSessionService).close(),
});

register({ describe, it }, sessionServiceCases, {
  name: 'DatabaseSessionService (SQLite in a file)',
  claims: ['lease', 'watch', 'durable'],
  create: (runtime) => kept((dbUrl) => new DatabaseSessionService({ dbUrl, runtime })),
  reopen: (service, runtime) => new DatabaseSessionService({ dbUrl: urls.get(service)!, runtime }),
  destroy: (service) => (service as DatabaseSessionService).close(),
});

register(
  { describe, it },
  sessionServiceCases.filter((each) => each.needs?.includes('ttl-60s')),
  {
    name: 'DatabaseSessionService (SQLite, sessions of 60 seconds)',
    claims: ['ttl-60s'],
    create: (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime, sessionTtlMs: 60_000 }),
    destroy: (service) => (service as DatabaseSessionService).close(),
  },
);

register({ describe, it }, artifactServiceCases, {
  name: 'DatabaseArtifactService (SQLite)',
  claims: ['durable'],
  create: (runtime) => kept((dbUrl) => new DatabaseArtifactService({ dbUrl, runtime, maxBytes: 65_536 })),
  reopen: (service, runtime) => new DatabaseArtifactService({ dbUrl: urls.get(service)!, runtime, maxBytes: 65_536 }),
  destroy: (service) => (service as DatabaseArtifactService).close(),
});
