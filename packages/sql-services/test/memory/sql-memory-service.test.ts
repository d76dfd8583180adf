import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { memoryAbilities, memoryServiceCases, memoryStoreCases, register } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const urls = new WeakMap<object, string>();

function kept<S extends object>(make: (dbUrl: string) => S): S {
  const dbUrl = `sqlite:///${join(folder, `${count++}.db`)}`;
  const made = make(dbUrl);
  urls.set(made, dbUrl);
  return made;
}

register({ describe, it }, memoryServiceCases, {
  name: 'DatabaseMemoryService (SQLite)',
  claims: [...memoryAbilities, 'words', 'shared'],
  create: (runtime) => kept((dbUrl) => new DatabaseMemoryService({ dbUrl, runtime })),
  reopen: (service, runtime) => new DatabaseMemoryService({ dbUrl: urls.get(service)!, runtime }),
  destroy: (service) => (service as DatabaseMemoryService).close(),
});

register({ describe, it }, memoryStoreCases, {
  name: 'SqlMemoryStore (SQLite)',
  claims: ['shared', 'segmented', 'users'],
  create: (runtime) => kept((dbUrl) => new SqlMemoryStore({ dbUrl, runtime, timeoutMs: 600_000 })),
  reopen: (store, runtime) => new SqlMemoryStore({ dbUrl: urls.get(store)!, runtime, timeoutMs: 600_000 }),
  destroy: (store) => (store as SqlMemoryStore).close(),
});
