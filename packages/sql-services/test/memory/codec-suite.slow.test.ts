import { SqlMemoryStore } from '@thole/sql-services';
import { memoryStoreCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

const reverse = (text: string): string => Array.from(text).toReversed().join('');
const codec = { encode: reverse, decode: (stored: string | Uint8Array): string => reverse(String(stored)) };

register({ describe, it }, memoryStoreCases, {
  name: 'SqlMemoryStore (SQLite, codec)',
  claims: ['segmented', 'users', 'history'],
  create: (runtime) => new SqlMemoryStore({ dbUrl: 'sqlite://:memory:', runtime, codec }),
  destroy: (store) => (store as SqlMemoryStore).close(),
});
