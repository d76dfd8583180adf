import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createEvent } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { Kysely, SqliteDialect } from 'kysely';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadDriver } from '../../src/client/load-driver.ts';
import { parseDatabaseUrl } from '../../src/client/parse-database-url.ts';

const folder = mkdtempSync(join(tmpdir(), 'options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const memory = 'sqlite://:memory:';
const ref = { appName: 'app', userId: 'u', sessionId: 's' };

describe('what a database service is made with', () => {
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
  ])('reads the URL %s', (url, address) => {
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
  ])('refuses the URL %s, and does not repeat it (contract 42)', (dbUrl) => {
    const make = (): unknown => new DatabaseSessionService({ dbUrl: dbUrl as string });
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(make).not.toThrow(/secret/);
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['a misspelt option', { dbUrl: memory, tabelPrefix: 'a' }],
    ['a prefix with a quote', { dbUrl: memory, tablePrefix: 'a"; DROP TABLE x; --' }],
    ['a prefix in upper case', { dbUrl: memory, tablePrefix: 'Thole_' }],
    ['a schema with a dot', { dbUrl: memory, schema: 'a.b' }],
    ['no time limit', { dbUrl: memory, timeoutMs: 0 }],
    ['another synchronous', { dbUrl: memory, synchronous: 'OFF' }],
    ['autoMigrate as text', { dbUrl: memory, autoMigrate: 'yes' }],
    ['a URL and a db', { dbUrl: memory, db: {} }],
    ['a db without its dialect', { db: { connect() {}, query() {} } }],
    ['a db that is none', { db: {}, dialect: 'postgres' }],
    ['a URL with a dialect', { dbUrl: memory, dialect: 'sqlite' }],
  ])('refuses %s (contract 42)', (_, options) => {
    expect(() => new DatabaseSessionService(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => new DatabaseArtifactService(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it.each<[string, object]>([
    ['a codec without decode', { codec: { encode: String } }],
    ['a life of nothing', { sessionTtlMs: 0 }],
    ['a poll without a pause', { pollMs: 0 }],
  ])('refuses %s for sessions (contract 42)', (_, options) => {
    expect(() => new SqlSessionStore({ dbUrl: memory, ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  it('names the package to install where a driver is missing', async () => {
    const loading = loadDriver('pg', () => import(String('a-package-that-nobody-has')));
    await expect(loading).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm install pg'),
    });
  });
});

describe('a SQLite file', () => {
  const opened = (options: ConstructorParameters<typeof DatabaseSessionService>[0]): DatabaseSessionService => {
    const service = new DatabaseSessionService(options);
    onTestFinished(() => service.close());
    return service;
  };
  const at = (name: string): { path: string; dbUrl: string } => {
    const path = join(folder, name);
    return { path, dbUrl: `sqlite:///${path}` };
  };

  it('is made with its folder at the first call, in WAL mode, and not before', async () => {
    const { path, dbUrl } = at('new/folder/thole.db');
    const service = opened(dbUrl);
    expect(() => new DatabaseSync(path, { readOnly: true })).toThrow();
    await service.createSession(ref);
    const file = new DatabaseSync(path, { readOnly: true });
    expect(file.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    file.close();
  });

  it('holds several services side by side, each under its prefix', async () => {
    const { dbUrl } = at('shared.db');
    const [one, other] = [opened({ dbUrl, tablePrefix: 'one_' }), opened({ dbUrl, tablePrefix: 'other_' })];
    await one.createSession(ref);
    expect(await other.getSession(ref)).toBeUndefined();
    const files = new DatabaseArtifactService(dbUrl);
    onTestFinished(() => files.close());
    expect(await files.saveArtifact({ ...ref, filename: 'a', artifact: { text: 'x' } })).toBe(0);
  });

  it('gets no tables with autoMigrate false until migrate() has run', async () => {
    const { dbUrl } = at('explicit.db');
    const service = opened({ dbUrl, autoMigrate: false });
    await service.ping();
    await expect(service.createSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    await service.migrate();
    await service.migrate();
    expect((await service.createSession(ref)).lastSeq).toBe(0);
  });

  it('with tables or records of a version that nobody knows is STORE_VERSION', async () => {
    const { path, dbUrl } = at('versions.db');
    const service = opened(dbUrl);
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: createEvent({ id: 'e1', author: 'a' }) });
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    file.exec('UPDATE thole_events SET v = 2');
    await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    expect((await service.getSession({ ...ref, numRecentEvents: 0 }))!.lastSeq).toBe(1);
    file.exec('UPDATE thole_sessions SET v = 2');
    await expect(service.listSessions({ appName: 'app' })).rejects.toMatchObject({ code: 'STORE_VERSION' });
    file.exec(`UPDATE thole_meta SET content = '3'`);
    await expect(opened(dbUrl).getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });

  it('that is no database, or cannot be opened, is STORE_UNAVAILABLE', async () => {
    const { path, dbUrl } = at('text.db');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path, 'This is a text and no database, and it is long enough to look at. '.repeat(50));
    await expect(opened(dbUrl).getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const below = opened(`sqlite:///${path}/below.db`);
    await expect(below.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('that was closed answers no more, and closing twice does no harm', async () => {
    const service = opened(at('closed.db').dbUrl);
    await service.createSession(ref);
    await service.close();
    await service.close();
    await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('stores nothing of an append of which the database refuses a part, and says so (contract 7)', async () => {
    const { path, dbUrl } = at('refusing.db');
    const service = opened(dbUrl);
    await service.createSession(ref);
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    for (const table of ['app_states', 'user_states', 'sessions']) {
      const [verb, scope] = table === 'sessions' ? ['UPDATE', ''] : ['INSERT', `${table.slice(0, -'_states'.length)}:`];
      file.exec(`CREATE TRIGGER refusal BEFORE ${verb} ON thole_${table} BEGIN SELECT RAISE(ABORT, 'no'); END`);
      const stateDelta = { a: 1, [`${scope}b`]: 2 };
      const appending = service.appendEvent({
        session: ref,
        event: createEvent({ author: 'a', actions: { stateDelta } }),
      });
      await expect(appending).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      file.exec('DROP TRIGGER refusal');
      const { lastSeq, events, state } = (await service.getSession(ref))!;
      expect([lastSeq, events, state]).toEqual([0, [], {}]);
    }
  });

  it('holds nothing of a session that was deleted, nor of a user, also where their processes have died', async () => {
    const { path, dbUrl } = at('deleted.db');
    const runtime = new FixedRuntime();
    const service = opened({ dbUrl, runtime });
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    const leaveBehind = async (sessionId: string): Promise<void> => {
      const session = await service.createSession({ ...ref, sessionId, state: { 'user:a': 1 } });
      await service.appendEvent({ session, event: createEvent({ author: 'a' }) });
      await service.leasing!.lease(
        { ...ref, sessionId },
        {
          ...{ invocationId: 'crashed', holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0 },
          ...{ ttlMs: 1_000, cleanupMs: 0 },
        },
      );
      file.exec(`INSERT INTO thole_lease_waiters (app_name, user_id, session_id, goes_first, expires_at)
        VALUES ('app', 'u', '${sessionId}', 0, ${runtime.now() + 1})`);
      await runtime.advance(1_000);
    };
    const left = (): string[] =>
      ['sessions', 'events', 'leases', 'lease_waiters', 'user_states'].filter(
        (name) => file.prepare(`SELECT 1 FROM thole_${name}`).all().length > 0,
      );
    await leaveBehind('s1');
    await service.deleteSession({ ...ref, sessionId: 's1' });
    expect(left()).toEqual(['user_states']);
    await leaveBehind('s2');
    await service.deleteUserData(ref);
    expect(left()).toEqual([]);
  });

  it('is served through a Kysely instance of the caller as well', async () => {
    const file = new DatabaseSync(':memory:');
    const kysely = new Kysely<never>({
      dialect: new SqliteDialect({
        database: {
          close: () => file.close(),
          prepare(sql) {
            const statement = file.prepare(sql);
            return {
              reader: statement.columns().length > 0,
              all: (parameters) => statement.all(...(parameters as never[])),
              run: (parameters) => statement.run(...(parameters as never[])) as never,
              iterate: (parameters) => statement.iterate(...(parameters as never[])),
            };
          },
        },
      }),
    });
    onTestFinished(() => kysely.destroy());
    const service = new DatabaseSessionService({ db: kysely, dialect: 'sqlite' });
    await service.createSession({ ...ref, state: { 'user:a': 1 } });
    const ids = ['e1', 'e2', 'e3', 'e4'];
    await Promise.all(ids.map((id) => service.appendEvent({ session: ref, event: createEvent({ id, author: 'a' }) })));
    await service.close();
    expect((await service.getSession(ref))!.events.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
  });

  it('is asked through an index for everything that a running agent asks for', async () => {
    const { path, dbUrl } = at('indexed.db');
    const service = opened(dbUrl);
    await service.createSession({ ...ref, state: { 'user:a': 1, 'app:b': 1 } });
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    const asked: string[] = [];
    const recording = recordingDatabase(file, asked);
    const traced = new DatabaseSessionService({ db: recording, dialect: 'sqlite' });
    await traced.appendEvent({
      session: ref,
      event: createEvent({ author: 'a', actions: { stateDelta: { 'app:b': 2 } } }),
    });
    await traced.getSession({ ...ref, numRecentEvents: 1 });
    await traced.listSessions({ appName: 'app', userId: 'u', limit: 10 });
    const statements = asked.filter(
      (sql) => /^\s*(SELECT|INSERT|UPDATE)/.test(sql) && /thole_(events|sessions|.*states)/.test(sql),
    );
    expect(statements.length).toBeGreaterThan(5);
    for (const sql of statements) {
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
      const scans = plan.map(({ detail }) => detail).filter((detail) => /^SCAN (?:thole|[seal]\b)/.test(detail));
      expect(scans, sql).toEqual([]);
    }
  });
});

function recordingDatabase(file: DatabaseSync, asked: string[]): Kysely<never> {
  return new Kysely<never>({
    dialect: new SqliteDialect({
      database: {
        close() {},
        prepare(sql) {
          asked.push(sql);
          const statement = file.prepare(sql);
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...(parameters as never[])),
            run: (parameters) => statement.run(...(parameters as never[])) as never,
            iterate: (parameters) => statement.iterate(...(parameters as never[])),
          };
        },
      },
    }),
  });
}
