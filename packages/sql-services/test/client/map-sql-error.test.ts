import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { TholeError } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { displayNameOfAddress, displayNameOfPool } from '../../src/client/display-name.ts';
import { mapSqlError } from '../../src/client/map-sql-error.ts';
import { sqlFailure } from '../../src/client/sql-failure.ts';
import { mariadb } from '../../src/dialects/mariadb.ts';
import { postgres } from '../../src/dialects/postgres.ts';
import { parseDatabaseUrl } from '../../src/client/parse-database-url.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const ref = { appName: 'app', userId: 'u', sessionId: 's' };

async function failureOf(dbUrl: string): Promise<TholeError> {
  const service = new DatabaseSessionService({ dbUrl, timeoutMs: 3_000 });
  onTestFinished(() => service.close());
  return service.createSession(ref).then(
    () => expect.fail('The call succeeded.'),
    (error: unknown) => error as TholeError,
  );
}

describe('mapSqlError', () => {
  const storeError = (...p: Parameters<typeof sqlFailure>): TholeError =>
    mapSqlError(sqlFailure(...p), 'The database "hotel" at db:5432') as TholeError;
  const driver = (message: string, more: object): Error => Object.assign(new Error(message), more);

  it('names the database and the reason of a broken connection, and keeps the cause', () => {
    const cause = driver('connect ECONNREFUSED 10.0.0.1:5432', { code: 'ECONNREFUSED' });
    const error = storeError('connection', cause);
    expect([error.code, error.message]).toEqual([
      'STORE_UNAVAILABLE',
      'The database "hotel" at db:5432 did not answer: connect ECONNREFUSED 10.0.0.1:5432. Check its address, and that it is running.',
    ]);
    expect(error.cause).toBe(cause);
    expect(storeError('connection', cause, true).message).toMatch(/did not answer: .*may have been done\.$/);
  });

  it('says that the server requires a password if the URL has none', () => {
    const cause = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    const error = storeError('connection', cause);
    expect(error.message).toBe(
      'The database "hotel" at db:5432 requires a password. Add it to the URL, or set PGPASSWORD.',
    );
    expect([error.code, error.retryable, error.cause]).toEqual(['STORE_UNAVAILABLE', false, cause]);
  });

  it.each([
    ['refused', driver('password authentication failed for user "ann"', { code: '28P01' })],
    ['refused', driver('database "hotel" does not exist', { code: '3D000' })],
    ['refused', driver('Access denied', { code: 'ER_ACCESS_DENIED_ERROR', errno: 1045 })],
    ['connection', new Error('The server does not support SSL connections')],
    ['connection', new TypeError("SSL profile must be an object, instead it's a boolean")],
    ['connection', driver('self-signed certificate', { code: 'HANDSHAKE_SSL_ERROR' })],
    ['connection', driver('self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
  ] as const)('is not retryable if the address must be corrected first (%s: %o)', (kind, cause) => {
    expect(storeError(kind, cause)).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: false, cause });
  });

  it.each([
    ['permission denied for schema public', { code: '42501' }],
    ['CREATE command denied', { code: 'ER_TABLEACCESS_DENIED_ERROR', errno: 1142 }],
    ['SELECT command denied for column', { code: 'ER_COLUMNACCESS_DENIED_ERROR', errno: 1143 }],
    ['Access denied; you need the SUPER privilege', { code: 'ER_SPECIFIC_ACCESS_DENIED_ERROR', errno: 1227 }],
  ])('is not retryable and names the next step if a right is missing: %s', (reason, more) => {
    const error = storeError('refused', driver(reason, more));
    expect([error.code, error.retryable]).toEqual(['STORE_UNAVAILABLE', false]);
    expect(error.message).toContain(`${reason} (${more.code}). Grant this right to the user of the connection.`);
  });

  it('says that the server does not support TLS, and not that it did not answer', () => {
    const cause = new Error('The server does not support SSL connections');
    expect(storeError('connection', cause).message).toBe(
      'The database "hotel" at db:5432 cannot be connected with TLS: The server does not support SSL connections. Check the TLS options of the URL or the pool, and the certificate of the server.',
    );
  });

  it('names the first of several addresses that the driver tried', () => {
    const each = driver('connect ECONNREFUSED ::1:5432', { code: 'ECONNREFUSED' });
    const error = storeError('connection', Object.assign(new AggregateError([each], ''), { code: 'ECONNREFUSED' }));
    expect(error.message).toContain('connect ECONNREFUSED ::1:5432');
  });

  it.each([
    ['57P01', { code: '57P01' }, postgres],
    ['57014', { code: '57014' }, postgres],
    ['53300', { code: '53300' }, postgres],
    ['28P01', { code: '28P01' }, postgres],
    ['XX000', { code: 'XX000' }, postgres],
    ['ER_QUERY_INTERRUPTED', { code: 'ER_QUERY_INTERRUPTED', errno: 1317 }, mariadb],
    ['ER_SERVER_SHUTDOWN', { code: 'ER_SERVER_SHUTDOWN', errno: 1053 }, mariadb],
    ['ER_OUT_OF_RESOURCES', { code: 'ER_OUT_OF_RESOURCES', errno: 1041 }, mariadb],
  ])('does not report a missing answer if the database answered %s (contract 7)', (code, more, dialect) => {
    const cause = driver('server message', more);
    for (const isOutcomeUnknown of [false, true]) {
      const error = storeError(dialect.classifyError(cause), cause, isOutcomeUnknown);
      expect(error.message).not.toContain('did not answer');
      expect(error.message).toContain(code);
    }
  });

  it.each([
    ['permission denied for schema public', { code: '42501' }],
    ['cannot execute INSERT in a read-only transaction', { code: '25006' }],
    ['schema "hotel" does not exist', { code: '3F000' }],
    ["INSERT command denied to user 'ann'@'db' for table", { code: 'ER_TABLEACCESS_DENIED_ERROR', errno: 1142 }],
    ['No database selected', { code: 'ER_NO_DB_ERROR', errno: 1046 }],
    ["The table 'thole_events' is full", { code: 'ER_RECORD_FILE_FULL', errno: 1114 }],
    ['The server is running with the --read-only option', { code: 'ER_OPTION_PREVENTS_STATEMENT', errno: 1290 }],
  ])('repeats the reason of a refused call: %s', (reason, more) => {
    const error = storeError('refused', driver(reason, more));
    expect(error.code).toBe('STORE_UNAVAILABLE');
    expect(error.message).toContain(`refused the call: ${reason} (${more.code}).`);
  });

  it.each([
    ['column "app_name" does not exist', { code: '42703' }],
    ["Key column 'app_name' doesn't exist in table", { code: 'ER_KEY_COLUMN_DOES_NOT_EXITS', errno: 1072 }],
    ['no such column: app_name', { code: 'ERR_SQLITE_ERROR', errcode: 1 }],
    ['table thole_meta has no column named item', { code: 'ERR_SQLITE_ERROR', errcode: 1 }],
  ])('is STORE_VERSION and names the option if a table has other columns: %s', (reason, more) => {
    const error = storeError('refused', driver(reason, more));
    expect(error.code).toBe('STORE_VERSION');
    expect(error.message).toContain(`: ${reason} (`);
    expect(error.message).toMatch(/\)\. If the table belongs to other software, use another tablePrefix/);
  });

  it('does not repeat messages that may contain values (contract 42)', () => {
    const errors = [
      storeError('refused', driver('invalid input syntax for type json: "secret"', { code: '22P02' })),
      storeError('refused', driver("Incorrect value: 'secret'", { code: 'ER_TRUNCATED_WRONG_VALUE', errno: 1292 })),
      storeError('refused', driver('malformed JSON: secret', { code: 'ERR_SQLITE_ERROR', errcode: 1 })),
      storeError('too-large', driver('value secret too long', { code: '54000' })),
      storeError(
        'refused',
        driver('null value in column', { code: '23502', detail: 'Failing row contains (secret).' }),
      ),
    ];
    for (const error of errors) expect(error.message).not.toContain('secret');
    // Logs contain the causes, too.
    for (const error of errors) expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
    expect(errors.map(({ message }) => /\((.*)\)/.exec(message)?.[1])).toEqual([
      '22P02',
      'ER_TRUNCATED_WRONG_VALUE',
      'ERR_SQLITE_ERROR 1',
      '54000',
      '23502',
    ]);
    expect(errors.map(({ cause }) => (cause as { code?: unknown }).code)).toEqual([
      '22P02',
      'ER_TRUNCATED_WRONG_VALUE',
      'ERR_SQLITE_ERROR',
      '54000',
      '23502',
    ]);
  });
});

describe('DatabaseSessionService', () => {
  it.each(['postgresql', 'mysql'])(
    'names host, port, database and reason without a %s server, but not the password',
    async (scheme) => {
      const error = await failureOf(`${scheme}://ann:hidden@127.0.0.1:1/hotel`);
      expect(error.code).toBe('STORE_UNAVAILABLE');
      expect(error.message).toMatch(/^The database "hotel" at 127\.0\.0\.1:1 did not answer: connect ECONNREFUSED/);
      expect(error.message).not.toContain('hidden');
      expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
    },
  );

  it('names the missing column if a table with its name exists', async () => {
    const { dbUrl, path } = files.next();
    const file = new DatabaseSync(path);
    file.exec('CREATE TABLE thole_sessions (id TEXT)');
    file.close();
    const error = await failureOf(dbUrl);
    expect([error.code, error.message]).toEqual([
      'STORE_VERSION',
      `The file ${path} has a table with other columns: no such column: "app_name" (ERR_SQLITE_ERROR 1). If the table belongs to other software, use another tablePrefix or another database.`,
    ]);
  });

  it('names a file that is not a database, and the reason if a folder cannot be created', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-failure-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'file.db');
    writeFileSync(file, 'This text is long enough to be read as the header of a database file.'.repeat(20));
    const error = await failureOf(`sqlite:///${file}`);
    expect([error.code, error.message]).toEqual([
      'STORE_UNAVAILABLE',
      `The file ${file} refused the call: file is not a database (ERR_SQLITE_ERROR 26).`,
    ]);
    expect((await failureOf(`sqlite:///${file}/below/x.db`)).message).toMatch(/refused the call: E\w+: /);
  });

  it('says what to check if SQLite cannot open the file or create files next to it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-failure-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect((await failureOf(`sqlite:///${folder}`)).message).toBe(
      `The file ${folder} refused the call: unable to open database file (ERR_SQLITE_ERROR 14). Check that the path is a file, and that this process may write to its folder: SQLite creates files next to it, even to read.`,
    );
  });
});

describe('displayNameOfAddress', () => {
  it('contains name, host and port, but not user and password (contract 42)', () => {
    const nameOf = (url: string): string => displayNameOfAddress(parseDatabaseUrl(url));
    expect(nameOf('postgresql://ann:hidden@db.test/hotel?sslmode=require')).toBe(
      'The database "hotel" at db.test:5432',
    );
    expect(nameOf('mysql://ann:hidden@db.test:3307/hotel')).toBe('The database "hotel" at db.test:3307');
    expect(nameOf('postgresql://ann:hidden@/hotel?host=%2Fvar%2Frun')).not.toContain('hidden');
    expect(nameOf('sqlite:///./x.db')).toBe('The file ./x.db');
    expect(nameOf('sqlite://:memory:')).toBe('The database in memory');
  });
});

describe('displayNameOfPool', () => {
  it('returns the same name for a pool', () => {
    expect(displayNameOfPool({ options: { host: 'h', port: 1, database: 'd', password: 'hidden' } })).toBe(
      'The database "d" at h:1',
    );
    const config = { connectionConfig: { host: 'h', port: 1, database: 'd' } };
    expect(displayNameOfPool({ config })).toBe('The database "d" at h:1');
    expect(displayNameOfPool({ pool: { config } })).toBe('The database "d" at h:1');
    expect(displayNameOfPool({ options: { connectionString: 'postgresql://a:hidden@h:1/d' } })).toBe(
      'The database "d" at h:1',
    );
    for (const odd of [{}, undefined, { options: null }]) expect(displayNameOfPool(odd)).toBe('The database');
  });
});
