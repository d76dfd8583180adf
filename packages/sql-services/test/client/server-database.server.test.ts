import { readFileSync } from 'node:fs';
import { createEvent } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { openBehindProxy } from '../support/behind-proxy.ts';
import { createDatabase } from '../support/create-database.ts';
import { connect, serverTables } from '../support/server-tables.ts';

const tablePrefix = 'connections_';
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string, stateDelta = {}) => createEvent({ id, author: 'agent', actions: { stateDelta } });

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `ServerDatabase (${kind})`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, tablePrefix);
    beforeEach(() => tables.empty());
    afterAll(() => tables.close());

    function openService(options: DatabaseSessionServiceOptions): DatabaseSessionService {
      const service = new DatabaseSessionService({ tablePrefix, ...options });
      onTestFinished(() => service.close());
      return service;
    }
    const behindProxy = (): ReturnType<typeof openBehindProxy> =>
      openBehindProxy(dbUrl, (url) => openService({ dbUrl: url }));

    it('throws STORE_OUTCOME_UNKNOWN if the answer to a commit is lost (contract 7)', async () => {
      const { proxy, service } = await behindProxy();
      proxy.cutAnswerTo(kind === 'postgres' ? /INSERT INTO connections_events/ : /COMMIT/);
      const lost = service.appendEvent({ session: ref, event: event('e1', { a: 1 }) });
      await expect(lost).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', retryable: true });
      expect((await service.appendEvent({ session: ref, event: event('e1', { a: 1 }) })).seq).toBe(1);
      expect((await service.getSession(ref))!.lastSeq).toBe(1);
    });

    it('ends all calls when it is closed, and stores only the acknowledged events (contract 7)', async () => {
      const service = openService({ dbUrl, maxConnections: 2, timeoutMs: 100_000 });
      const refs = Array.from({ length: 20 }, (_, i) => ({ ...ref, sessionId: `closed-${i}` }));
      for (const each of refs) await service.createSession(each);
      const startedAt = performance.now();
      const appends = refs.map((each) => service.appendEvent({ session: each, event: event('e1') }));
      await service.close();
      const results = await Promise.allSettled(appends);
      expect(performance.now() - startedAt).toBeLessThan(50_000);
      const other = openService({ dbUrl });
      for (const [i, result] of results.entries()) {
        if (result.status === 'rejected' && result.reason.code === 'STORE_OUTCOME_UNKNOWN') continue;
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'STORE_UNAVAILABLE' });
        expect((await other.getSession(refs[i]!))!.lastSeq).toBe(result.status === 'fulfilled' ? 1 : 0);
      }
      expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
    });

    it('repeats a call if the connection breaks before anything was committed', async () => {
      const { proxy, service } = await behindProxy();
      proxy.cutAnswerTo(kind === 'postgres' ? /BEGIN/ : /START TRANSACTION/);
      expect(await service.deleteSession(ref)).toBe(true);
    });

    it.runIf(process.platform === 'linux')(
      'sends packets on idle connections before a firewall forgets them',
      async () => {
        const { proxy, service } = await behindProxy();
        await service.getSession(ref);
        const server = `:${proxy.port.toString(16).toUpperCase().padStart(4, '0')}`;
        const sockets = readFileSync('/proc/net/tcp', 'utf8')
          .split('\n')
          .map((line) => line.trim().split(/\s+/));
        const timers = sockets.filter((each) => each[2]?.endsWith(server)).map((each) => each[5]!.split(':'));
        expect(timers.length).toBeGreaterThan(0);
        // 2 is the timer of keep-alive packets. The time is in hundredths of a second.
        const timer = ['02', expect.toSatisfy((time: string) => Number.parseInt(time, 16) <= 1_000)];
        for (const each of timers) expect(each).toEqual(timer);
      },
    );

    // The settings of MariaDB are tested in mariadb-settings.server.test.ts.
    if (kind === 'postgres')
      it('replaces a connection that allows no writes', async () => {
        const { url, remove } = await createDatabase('postgres', dbUrl);
        onTestFinished(remove);
        const admin = connect('postgres', dbUrl);
        onTestFinished(() => admin.close());
        await openService({ dbUrl: url }).createSession(ref);
        const setting = `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only`;
        await admin.query(`${setting} = on`);
        const service = openService({ dbUrl: url });
        expect(await service.getSession(ref)).toMatchObject({ lastSeq: 0 });
        await expect(service.deleteSession(ref)).rejects.toMatchObject({
          message: expect.stringContaining('read-only'),
        });
        expect(await service.getSession(ref)).toMatchObject({ lastSeq: 0 });
        await admin.query(`${setting} = off`);
        expect((await service.appendEvent({ session: ref, event: event('e1') })).seq).toBe(1);
      });

    it('ends each call within timeoutMs if the server does not answer', async () => {
      const runtime = new FixedRuntime();
      const { proxy, service } = await openBehindProxy(dbUrl, (url) => openService({ dbUrl: url, runtime }));
      proxy.freeze();
      const ended = Promise.all([
        expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true }),
        expect(service.appendEvent({ session: ref, event: event('e1') })).rejects.toMatchObject({
          code: expect.stringMatching(/^STORE_(OUTCOME_UNKNOWN|UNAVAILABLE)$/),
        }),
        expect(service.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' }),
      ]);
      await runtime.advance(30_000);
      await ended;
    });

    it('creates tables without a time limit, while a call that needs them ends', async () => {
      const { url, remove } = await createDatabase(kind, dbUrl);
      onTestFinished(remove);
      const lock = await holdMigrationLock(kind, url);
      const runtime = new FixedRuntime();
      const service = openService({ dbUrl: url, runtime });
      const migrating = service.migrate();
      await lock.requested();
      const late = expect(service.createSession(ref)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/ did not have its tables ready in time\. Another process may /),
        retryable: true,
      });
      await lock.requested(2);
      await runtime.advance(3_600_000);
      await late;
      await lock.release();
      await migrating;
      const line = expect.objectContaining({
        level: 'warn',
        message: expect.stringMatching(/: the tables are still created or updated\. /),
      });
      expect(runtime.logs).toEqual([line, line]);
      expect((await service.createSession(ref)).id).toBe('s');
      await runtime.advance(10_000);
      expect(runtime.logs).toHaveLength(2);
    });

    it('ends the creation of tables when it is closed', async () => {
      const { url, remove } = await createDatabase(kind, dbUrl);
      onTestFinished(remove);
      const lock = await holdMigrationLock(kind, url);
      onTestFinished(() => lock.release());
      const service = openService({ dbUrl: url });
      const migrating = expect(service.migrate()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await lock.requested();
      await service.close();
      await migrating;
    });

    it('throws STORE_UNAVAILABLE without a server', async () => {
      const url = new URL(dbUrl);
      url.port = '1';
      const service = openService({ dbUrl: url.href, timeoutMs: 2_000 });
      await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(service.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    it('throws STORE_UNAVAILABLE after close, also if it was never used', async () => {
      for (const isUsed of [true, false]) {
        const service = new DatabaseSessionService({ dbUrl, tablePrefix });
        if (isUsed) await service.ping();
        await service.close();
        await service.close();
        await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }
    });

    it('throws VALUE_TOO_LARGE for a value over a limit of the server', async () => {
      const artifacts = new DatabaseArtifactService({ dbUrl, tablePrefix, maxBytes: 64 * 1024 * 1024 });
      onTestFinished(() => artifacts.close());
      const data = Buffer.alloc(20 * 1024 * 1024, 1).toString('base64');
      const artifact = { inlineData: { mimeType: 'a/b', data } };
      const saving = artifacts.saveArtifact({ ...ref, filename: 'large', artifact });
      if (kind === 'postgres') expect(await saving).toBe(0);
      else await expect(saving).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE', retryable: false });
      expect(await artifacts.saveArtifact({ ...ref, filename: 'small', artifact: { text: 'x' } })).toBe(0);
    });

    it('uses a Kysely instance of the caller and does not close it', async () => {
      const kysely = new Kysely<{ rooms: { floor: number } }>({
        dialect:
          kind === 'postgres'
            ? new PostgresDialect({ pool: new pg.Pool({ connectionString: dbUrl }) })
            : new MysqlDialect({ pool: createPool({ uri: dbUrl, charset: 'utf8mb4_bin' }) }),
      });
      onTestFinished(() => kysely.destroy());
      await checkCallersDatabase(kysely, 's');
    });

    it('uses pools of the caller, with any form of rows, and does not close them', async () => {
      const forms = [{}, { rowsAsArray: true }, { nestTables: true as never }, { nestTables: '_' }];
      const pools =
        kind === 'postgres'
          ? [new pg.Pool({ connectionString: dbUrl, max: 1 })]
          : forms.flatMap((form) => [
              createPool({ uri: dbUrl, connectionLimit: 1, ...form }),
              createPromisePool({ uri: dbUrl, connectionLimit: 1, ...form }),
            ]);
      for (const [i, pool] of pools.entries()) {
        onTestFinished(() => pool.end());
        await checkCallersDatabase(pool, `s${i}`);
      }
    });

    async function checkCallersDatabase(db: DatabaseSessionServiceOptions['db'], sessionId: string): Promise<void> {
      const session = { ...ref, sessionId };
      const service = new DatabaseSessionService({ db, dialect: kind, tablePrefix });
      await service.createSession({ ...session, state: { a: 'é🙂', 'user:b': [1] } });
      await Promise.all(
        ['e1', 'e2', 'e3'].map((id) => service.appendEvent({ session, event: event(id, { [id]: 1 }) })),
      );
      await service.close();
      const again = new DatabaseSessionService({ db, dialect: kind, tablePrefix });
      const { lastSeq, state } = (await again.getSession(session))!;
      expect([lastSeq, state]).toEqual([3, { a: 'é🙂', 'user:b': [1], e1: 1, e2: 1, e3: 1 }]);
    }
  });
}

/** Holds the lock that a process takes while it creates the tables. `requested` resolves when `count` other connections wait for it. */
async function holdMigrationLock(
  kind: 'postgres' | 'mariadb',
  dbUrl: string,
): Promise<{ requested(count?: number): Promise<void>; release(): Promise<void> }> {
  const name = `'${tablePrefix}meta'`;
  const { query, close } = connect(kind, dbUrl);
  const waiting =
    kind === 'postgres'
      ? `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      : `SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND state = 'User lock'`;
  await query(kind === 'postgres' ? `SELECT pg_advisory_lock(hashtext(${name}))` : `SELECT GET_LOCK(${name}, 0)`);
  return {
    requested: (count = 1) =>
      vi.waitFor(async () => expect(await query(waiting)).toHaveLength(count), { timeout: 20_000 }),
    release: close,
  };
}
