import { SqlMemoryStore } from '@thole/sql-services';
import { memoryStoreCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

register(
  { describe, it },
  // `sql-memory-service.slow.test.ts` runs all cases.
  memoryStoreCases.filter(({ id }) => !id.startsWith('texts.') && id !== 'put.many'),
  {
    name: 'SqlMemoryStore (SQLite in memory)',
    claims: ['segmented', 'users', 'history'],
    create: (runtime) => new SqlMemoryStore({ dbUrl: 'sqlite://:memory:', runtime }),
    destroy: (store) => (store as SqlMemoryStore).close(),
  },
);
