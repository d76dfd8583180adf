import { DatabaseArtifactService, DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import { describe, expect, it } from 'vitest';
import { driverMissing } from '../../src/client/driver-missing.ts';

const dbUrl = 'sqlite://:memory:';

describe('DatabaseOptions', () => {
  it.each<[string, object]>([
    ['no database', {}],
    ['a misspelt option', { dbUrl, tabelPrefix: 'a' }],
    ['a prefix with a quote', { dbUrl, tablePrefix: 'a"; DROP TABLE x; --' }],
    ['a prefix in upper case', { dbUrl, tablePrefix: 'Thole_' }],
    ['a schema with a dot', { dbUrl, schema: 'a.b' }],
    ['a schema of SQLite', { dbUrl, schema: 'main' }],
    ['a URL of another database', { dbUrl: 'mongodb://h/d' }],
    ['the time limit 0', { dbUrl, timeoutMs: 0 }],
    ['an unknown value of synchronous', { dbUrl, synchronous: 'OFF' }],
    ['autoMigrate as text', { dbUrl, autoMigrate: 'yes' }],
    ['a URL and a db', { dbUrl, db: {} }],
    ['a db without its dialect', { db: { connect() {}, query() {} } }],
    ['a db that is not a pool', { db: {}, dialect: 'postgres' }],
    ['a URL with a dialect', { dbUrl, dialect: 'sqlite' }],
  ])('rejects %s with INVALID_INPUT (contract 42)', (_, options) => {
    expect(() => new DatabaseSessionService(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => new DatabaseArtifactService(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('SqlSessionStoreOptions', () => {
  it.each<[string, object]>([
    ['a codec without decode', { codec: { encode: String } }],
    ['sessionTtlMs: 0', { sessionTtlMs: 0 }],
    ['pollMs: 0', { pollMs: 0 }],
  ])('rejects %s with INVALID_INPUT (contract 42)', (_, options) => {
    const create = (): unknown => new SqlSessionStore({ dbUrl, ...options });
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('driverMissing', () => {
  it('names the package to install', () => {
    const cause = new Error('Cannot find package');
    expect(driverMissing('pg', cause)).toMatchObject({
      code: 'DRIVER_MISSING',
      message: 'pg could not be loaded. Install it with `npm install pg`.',
      cause,
    });
  });
});
