import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from '../../src/client/parse-database-url.ts';

describe('parseDatabaseUrl', () => {
  it.each([
    ['sqlite:///./thole.db', { kind: 'sqlite', path: './thole.db' }],
    ['sqlite:///data/thole.db', { kind: 'sqlite', path: 'data/thole.db' }],
    ['sqlite:////var/a%20b.db', { kind: 'sqlite', path: '/var/a b.db' }],
    ['sqlite://:memory:', { kind: 'sqlite', path: ':memory:' }],
    ['postgres://h/d', { kind: 'postgres', url: 'postgresql://h/d' }],
    ['postgresql://u:p@h:1/d?ssl=1', { kind: 'postgres', url: 'postgresql://u:p@h:1/d?ssl=1' }],
    ['mysql://h/d', { kind: 'mariadb', url: 'mysql://h/d' }],
    ['mariadb://h/d', { kind: 'mariadb', url: 'mysql://h/d' }],
    ['sqlite+aiosqlite:///./adk.db', { kind: 'sqlite', path: './adk.db' }],
    ['sqlite+aiosqlite:///:memory:', { kind: 'sqlite', path: ':memory:' }],
    ['postgresql+asyncpg://u:p@h:1/d', { kind: 'postgres', url: 'postgresql://u:p@h:1/d' }],
    ['postgresql+asyncpg://h/d?ssl=require', { kind: 'postgres', url: 'postgresql://h/d?sslmode=require' }],
    ['postgresql+psycopg2://h/d', { kind: 'postgres', url: 'postgresql://h/d' }],
    ['mysql+aiomysql://u:p@h/d', { kind: 'mariadb', url: 'mysql://u:p@h/d' }],
    ['mariadb+asyncmy://h/d', { kind: 'mariadb', url: 'mysql://h/d' }],
  ])('parses %s', (url, address) => {
    expect(parseDatabaseUrl(url)).toEqual(address);
  });

  it.each([
    ['thole.db'],
    ['sqlite://thole.db'],
    ['sqlite:///a.db?mode=ro'],
    ['mongodb://secret@h/d'],
    [''],
    [7],
    [null],
  ])('rejects %s with a message that does not contain it (contract 42)', (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => parseDatabaseUrl(url)).not.toThrow(/secret/);
  });

  it.each([
    ['mongodb://secret@h/d', 'got the scheme mongodb://.'],
    ['secret@h/d', 'got a text without a scheme.'],
  ])('names the scheme of %s only', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
  });
});
