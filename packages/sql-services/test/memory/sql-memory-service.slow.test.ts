import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { memoryAbilities, memoryServiceCases, memoryStoreCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();

register({ describe, it }, memoryServiceCases, {
  name: 'DatabaseMemoryService (SQLite)',
  claims: [...memoryAbilities, 'words', 'shared'],
  create: (runtime) => files.create((dbUrl) => new DatabaseMemoryService({ dbUrl, runtime })),
  reopen: (service, runtime) => new DatabaseMemoryService({ dbUrl: files.urlOf(service), runtime }),
  destroy: (service) => (service as DatabaseMemoryService).close(),
});

register({ describe, it }, memoryStoreCases, {
  name: 'SqlMemoryStore (SQLite)',
  claims: ['shared', 'segmented', 'users', 'history'],
  create: (runtime) => files.create((dbUrl) => new SqlMemoryStore({ dbUrl, runtime, timeoutMs: 600_000 })),
  reopen: (store, runtime) => new SqlMemoryStore({ dbUrl: files.urlOf(store), runtime, timeoutMs: 600_000 }),
  destroy: (store) => (store as SqlMemoryStore).close(),
});
