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
    ['postgresql://u:p@/d?host=/run', { kind: 'postgres', url: 'postgresql://u:p@/d?host=/run' }],
    ['postgresql://%2Frun/d', { kind: 'postgres', url: 'postgresql://%2Frun/d' }],
    ['postgresql://u:p%@h/d', { kind: 'postgres', url: 'postgresql://u:p%@h/d' }],
    ['postgresql://u:a@b@h/d?user=u@h', { kind: 'postgres', url: 'postgresql://u:a@b@h/d?user=u@h' }],
  ])('parses %s', (url, address) => {
    expect(parseDatabaseUrl(url)).toEqual(address);
  });

  it.each([
    ['ssl-mode=REQUIRED', { rejectUnauthorized: false }],
    ['charset=utf8mb4&sslmode=require', { rejectUnauthorized: false }],
    ['ssl-mode=VERIFY_CA&connectionLimit=2', { rejectUnauthorized: true, verifyIdentity: false }],
    ['sslMode=VERIFY_IDENTITY', { rejectUnauthorized: true, verifyIdentity: true }],
    ['ssl-mode=PREFERRED', null],
  ])('encrypts the connection of a MySQL URL with %s', (query, ssl) => {
    const { url } = parseDatabaseUrl(`mysql://u:p@h/d?${query}`) as { url: string };
    expect(JSON.parse(new URL(url).searchParams.get('ssl') ?? 'null')).toEqual(ssl);
  });

  it.each([
    ['thole.db'],
    ['sqlite://thole.db'],
    ['sqlite:///a.db?mode=ro'],
    ['mongodb://secret@h/d'],
    ['mysql://u:secret/1@h/d'],
    ['mysql://u:1/secret@h/d'],
    ['mysql://u:secret#1@h/d'],
    ['mysql://u:1#secret@h/d'],
    ['mysql://u:secret%@h/d'],
    ['mysql://u:secret@h:99999/d'],
    ['mysql://u:secret@/d'],
    ['postgresql://u:secret/1@h/d'],
    ['postgresql://u:1/secret@h/d'],
    ['postgresql://u:secret@h:99999/d'],
    [''],
    [7],
    [null],
  ])('rejects %s with a message that does not contain it (contract 42)', (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => parseDatabaseUrl(url)).not.toThrow(
      expect.objectContaining({ message: expect.stringContaining('secret') }),
    );
    expect(() => parseDatabaseUrl(url)).not.toThrow(expect.objectContaining({ cause: expect.anything() }));
  });

  it('says how to encode a password with special characters', () => {
    expect(() => parseDatabaseUrl('mysql://u:a/b@h/d')).toThrow('Encode user and password with encodeURIComponent.');
  });

  it('mentions parameters of a SQLite URL only if there are any', () => {
    expect(() => parseDatabaseUrl('sqlite:///a.db?mode=ro')).toThrow('has no parameters.');
    expect(() => parseDatabaseUrl('sqlite://a.db')).not.toThrow(/parameters/);
  });

  it.each([
    ['mongodb://secret@h/d', 'got the scheme mongodb://.'],
    ['secret@h/d', 'got a text without a scheme.'],
    ['sqlite:secret.db', 'got another form of a file path. Write sqlite:/// before the path.'],
    ['file:./secret.db', 'got another form of a file path. Write sqlite:/// before the path.'],
  ])('names the scheme of %s only', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
  });
});
