import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool } from 'mysql2';
import pg from 'pg';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeWith, until } from '../../../../test/servers/index.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { recordMariaDb, recordPostgres } from '../support/recording-pool.ts';
import { serverTables } from '../support/server-tables.ts';
import { checkTakeOver } from '../support/check-take-over.ts';

const tablePrefix = 'calls_';
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string, stateDelta = {}) => createEvent({ id, author: 'agent', actions: { stateDelta } });

/** What one append costs with each kind of state, on each server. */
const cases = {
  postgres: { none: 1, session: 1, user: 1, app: 1, all: 1, fenced: 1, repeated: 2, missing: 2 },
  mariadb: { none: 4, session: 4, user: 5, app: 5, all: 6, fenced: 4, repeated: 5, missing: 4 },
} as const;

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `calls on ${kind}`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, tablePrefix);
    beforeEach(() => tables.empty());
    afterAll(() => tables.close());

    function opened(options: DatabaseSessionServiceOptions): DatabaseSessionService {
      const service = new DatabaseSessionService({ tablePrefix, ...options });
      onTestFinished(() => service.close());
      return service;
    }

    async function behindProxy(timeoutMs: number): Promise<{ proxy: CuttingProxy; service: DatabaseSessionService }> {
      const proxy = await cuttingProxy(Number(new URL(dbUrl).port));
      onTestFinished(() => proxy.close());
      const url = new URL(dbUrl);
      url.port = String(proxy.port);
      const service = opened({ dbUrl: url.href, timeoutMs });
      await service.createSession(ref);
      return { proxy, service };
    }

    const poolOf = () => {
      const recorded = kind === 'postgres' ? recordPostgres(dbUrl) : recordMariaDb(dbUrl);
      onTestFinished(() => recorded.close());
      return recorded;
    };

    it('appends in as few round trips as promised, whatever state comes along', async () => {
      const { pool, roundTrips } = poolOf();
      const service = opened({ db: pool, dialect: kind });
      await service.createSession(ref);
      const { fence } = await service.leasing!.lease(ref, {
        ...{ invocationId: 'i', holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0, ttlMs: 60_000, cleanupMs: 0 },
      });
      await service.appendEvent({ session: ref, event: event('warm') });
      const count = async (doing: () => Promise<unknown>): Promise<number> => {
        roundTrips.length = 0;
        await doing().catch(() => {});
        return roundTrips.length;
      };
      const append = (id: string, delta = {}) => service.appendEvent({ session: ref, event: event(id, delta) });
      const counted = {
        none: await count(() => append('e1')),
        session: await count(() => append('e2', { a: 1, b: null })),
        user: await count(() => append('e3', { 'user:a': 1, 'user:b': 2, 'user:c': null })),
        app: await count(() => append('e4', { 'app:a': 1 })),
        all: await count(() => append('e5', { a: 2, 'user:a': 2, 'app:a': null })),
        fenced: await count(() => service.appendEvent({ session: ref, event: event('e6'), fence })),
        repeated: await count(() => append('e5')),
        missing: await count(() => service.appendEvent({ session: { ...ref, sessionId: 'no' }, event: event('e7') })),
      };
      expect((await service.getSession(ref))!.lastSeq).toBe(7);
      // A repeated id costs MariaDB the broken insert's rollback and a question more.
      expect(counted).toEqual(cases[kind]);
    });

    it('needs nothing that a pooler in transaction mode takes away: no names, no settings, no locks of a session', async () => {
      const { pool, roundTrips } = poolOf();
      const service = opened({ db: pool, dialect: kind });
      await service.createSession({ ...ref, state: { a: 1, 'user:b': 2 } });
      await service.appendEvent({ session: ref, event: event('e1', { 'app:c': 3 }) });
      await service.listSessions({ appName: 'app' });
      const lease = await service.leasing!.lease(ref, {
        ...{ invocationId: 'i', holder: 'r', policy: 'queue', waitMs: 0, maxWaiting: 0, ttlMs: 60_000, cleanupMs: 0 },
      });
      await lease.renew();
      await lease.release();
      await service.deleteUserData(ref);
      expect(roundTrips.filter(({ name }) => name !== undefined)).toEqual([]);
      expect(roundTrips.filter(({ text }) => /^\s*(SET|LISTEN|PREPARE|DECLARE)|advisory_lock/i.test(text))).toEqual([]);
    });

    it('works with a Kysely instance of the caller, which it does not close', async () => {
      const kysely = new Kysely<never>({
        dialect:
          kind === 'postgres'
            ? new PostgresDialect({ pool: new pg.Pool({ connectionString: dbUrl }) })
            : new MysqlDialect({ pool: createPool({ uri: dbUrl, charset: 'utf8mb4_bin' }) }),
      });
      onTestFinished(() => kysely.destroy());
      const service = new DatabaseSessionService({ db: kysely, dialect: kind, tablePrefix });
      await service.createSession({ ...ref, state: { a: 'é🙂', 'user:b': [1] } });
      await Promise.all(
        ['e1', 'e2', 'e3'].map((id) => service.appendEvent({ session: ref, event: event(id, { [id]: 1 }) })),
      );
      await service.close();
      const again = new DatabaseSessionService({ db: kysely, dialect: kind, tablePrefix });
      const { lastSeq, state } = (await again.getSession(ref))!;
      expect([lastSeq, state]).toEqual([3, { a: 'é🙂', 'user:b': [1], e1: 1, e2: 1, e3: 1 }]);
    });

    it('says STORE_OUTCOME_UNKNOWN when the answer to a commit is lost, and the same id tells later (contract 7)', async () => {
      const { proxy, service } = await behindProxy(10_000);
      proxy.cutAnswerTo(kind === 'postgres' ? /INSERT INTO calls_events/ : /COMMIT/);
      const lost = service.appendEvent({ session: ref, event: event('e1', { a: 1 }) });
      await expect(lost).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', retryable: true });
      expect((await service.appendEvent({ session: ref, event: event('e1', { a: 1 }) })).seq).toBe(1);
      expect((await service.getSession(ref))!.lastSeq).toBe(1);
    });

    if (kind === 'mariadb') {
      it('finds the session of an append by its own key, also where it is the only one of the app', async () => {
        const { pool, roundTrips } = poolOf();
        const service = opened({ db: pool, dialect: kind });
        await service.createSession(ref);
        await service.appendEvent({ session: ref, event: event('e1') });
        const { text } = roundTrips.find((each) => each.text.startsWith('UPDATE'))!;
        const literals = ['1', 'NULL', "'app'", "'u'", "'s'", '1'];
        const plan = await tables.query(`EXPLAIN ${text.replaceAll('?', () => literals.shift()!)}`);
        expect(plan.map((row) => row['key'])).toEqual([`${tablePrefix}sessions_triple`]);
      });
    }

    it('leaves no lease behind that nobody knows of when the answer to its commit is lost (contract 13)', async () => {
      const { proxy, service } = await behindProxy(10_000);
      const request = {
        holder: 'r',
        policy: 'reject',
        waitMs: 0,
        maxWaiting: 0,
        ttlMs: 600_000,
        cleanupMs: 0,
      } as const;
      proxy.cutAnswerTo(/COMMIT(?!TED)/);
      const lost = service.leasing!.lease(ref, { ...request, invocationId: 'i1' });
      await expect(lost).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
      await until(async () => (await tables.query(`SELECT fence FROM ${tablePrefix}leases`)).length === 0);
      await (await service.leasing!.lease(ref, { ...request, invocationId: 'i2' })).release();
    });

    it('begins an append anew after a deadlock in the midst of it (contract 7)', async () => {
      const service = opened({ dbUrl, maxConnections: 1 });
      await service.createSession(ref);
      await refuseStateOnce(kind, tables);
      const stored = await service.appendEvent({ session: ref, event: event('e1', { a: 1, 'user:b': 2 }) });
      const session = (await service.getSession(ref))!;
      expect([stored.seq, session.lastSeq, session.state]).toEqual([1, 1, { a: 1, 'user:b': 2 }]);
    });

    it('begins anew by itself when the connection is lost before anything was decided', async () => {
      const { proxy, service } = await behindProxy(10_000);
      proxy.cutAnswerTo(kind === 'postgres' ? /BEGIN/ : /START TRANSACTION/);
      expect(await service.deleteSession(ref)).toBe(true);
    });

    it('ends each call within timeoutMs when the server is silent: reads as STORE_UNAVAILABLE, writes as what is known', async () => {
      const { proxy, service } = await behindProxy(2_000);
      proxy.freeze();
      const begun = performance.now();
      await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      const appending = service.appendEvent({ session: ref, event: event('e1') });
      await expect(appending).rejects.toMatchObject({
        code: expect.stringMatching(/^STORE_(OUTCOME_UNKNOWN|UNAVAILABLE)$/),
      });
      await expect(service.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(performance.now() - begun).toBeLessThan(15_000);
    });

    it('says STORE_UNAVAILABLE when nobody listens', async () => {
      const url = new URL(dbUrl);
      url.port = '1';
      const service = opened({ dbUrl: url.href, timeoutMs: 2_000 });
      await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(service.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    it('stores nothing of a run whose lease ran out in the middle of its appends (contract 13)', async () => {
      await checkTakeOver(
        [1, 2, 3, 4].map(() => opened({ dbUrl, pollMs: 5 })),
        20,
      );
    });

    it('stores nothing behind the head of a newer lease, though an append with the older one was on its way (contract 13)', async () => {
      const [one, other] = [opened({ dbUrl, pollMs: 10 }), opened({ dbUrl, pollMs: 10 })];
      await one.createSession(ref);
      const request = { holder: 'r', policy: 'queue', waitMs: 10_000, maxWaiting: 9, cleanupMs: 0 } as const;
      const older = await one.leasing!.lease(ref, { ...request, invocationId: 'i1', ttlMs: 250 });
      // Somebody else holds the session's row, so the append stands in the middle of its statement.
      await tables.query('BEGIN');
      await tables.query(`SELECT row_id FROM ${tablePrefix}sessions FOR UPDATE`);
      const appending = one
        .appendEvent({ session: ref, event: event('e1'), fence: older.fence })
        .catch(() => undefined);
      await sleep(400);
      const leasing = other.leasing!.lease(ref, { ...request, invocationId: 'i2', ttlMs: 60_000 });
      await sleep(200);
      await tables.query('COMMIT');
      await appending;
      const newer = await leasing;
      expect((await other.getSession(ref))!.lastSeq).toBe(newer.head!.lastSeq);
    });

    it('loses, repeats and reorders nothing when many append at once in every scope, over many connections (contract 6, 8)', async () => {
      const services = [1, 2, 3, 4].map(() => opened({ dbUrl }));
      await services[0]!.createSession(ref);
      const ids = Array.from({ length: 128 }, (_, i) => `e${i}`);
      await Promise.all(
        ids.map((id, i) =>
          services[i % 4]!.appendEvent({
            session: ref,
            event: event(id, { [`k${id}`]: 1, [`user:k${id}`]: 1, [`app:k${id}`]: 1, [`app:k${i % 7}`]: i }),
          }),
        ),
      );
      const { events, state } = (await services[0]!.getSession(ref))!;
      expect(events.map((each) => each.seq)).toEqual(ids.map((_, i) => i + 1));
      expect(new Set(events.map((each) => each.id)).size).toBe(128);
      expect(Object.keys(state)).toHaveLength(128 * 3 + 7);
    });

    it('lets leases run out by the clock of the database, whatever the clocks of the processes say (contract 13)', async () => {
      const slow = opened({ dbUrl, runtime: new FixedRuntime({ now: 1_000 }) });
      const own = opened({ dbUrl });
      await own.createSession(ref);
      const request = { holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0, cleanupMs: 0 } as const;
      const lease = await slow.leasing!.lease(ref, { ...request, invocationId: 'i1', ttlMs: 60_000 });
      const asking = own.leasing!.lease(ref, { ...request, invocationId: 'i2', ttlMs: 60_000 });
      await expect(asking).rejects.toMatchObject({ code: 'SESSION_BUSY' });
      expect((await own.leasing!.current(ref))!.expired).toBe(false);
      const stored = await slow.appendEvent({ session: ref, event: event('e1'), fence: lease.fence });
      expect(stored.seq).toBe(1);
      expect((await slow.leasing!.current(ref))!.expiresAt).toBe(1_060);
      await lease.release();
    });

    it('tells a value that is too large for the server from one that could not be stored', async () => {
      const files = new DatabaseArtifactService({ dbUrl, tablePrefix, maxBytes: 64 * 1024 * 1024 });
      onTestFinished(() => files.close());
      const data = Buffer.alloc(20 * 1024 * 1024, 1).toString('base64');
      const artifact = { inlineData: { mimeType: 'a/b', data } };
      const saving = files.saveArtifact({ ...ref, filename: 'large', artifact });
      if (kind === 'postgres') expect(await saving).toBe(0);
      else await expect(saving).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE', retryable: false });
      expect(await files.saveArtifact({ ...ref, filename: 'small', artifact: { text: 'x' } })).toBe(0);
    });

    it('makes its tables once when sixteen find none at the same moment', async () => {
      const prefix = `first_${process.pid}_`;
      const stores = Array.from({ length: 16 }, () => opened({ dbUrl, tablePrefix: prefix, maxConnections: 1 }));
      await Promise.all(stores.map((store, i) => store.createSession({ ...ref, sessionId: `s${i}` })));
      expect((await stores[0]!.listSessions({ appName: 'app' })).total).toBe(16);
    });

    it('keeps its tables in the schema that it is given, apart from others, and says what the database says where there is none', async () => {
      const schema = `schema_${process.pid}`;
      await tables.query(`DROP SCHEMA IF EXISTS ${schema}${kind === 'postgres' ? ' CASCADE' : ''}`);
      const missing = opened({ dbUrl, schema }).createSession(ref);
      await expect(missing).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/\(\w+\)/),
      });
      await tables.query(`CREATE SCHEMA ${schema}`);
      const service = opened({ dbUrl, schema });
      await service.createSession({ ...ref, state: { a: 1, 'app:b': 2 } });
      await service.appendEvent({ session: ref, event: event('e1', { 'user:c': 3 }) });
      const lease = await service.leasing!.lease(ref, {
        ...{ invocationId: 'i', holder: 'r', policy: 'queue', waitMs: 0, maxWaiting: 0, ttlMs: 60_000, cleanupMs: 0 },
      });
      await service.appendEvent({ session: ref, event: event('e2'), fence: lease.fence });
      await lease.release();
      expect((await service.getSession(ref))!.state).toEqual({ a: 1, 'app:b': 2, 'user:c': 3 });
      expect(await opened({ dbUrl }).getSession(ref)).toBeUndefined();
      const files = new DatabaseArtifactService({ dbUrl, schema });
      onTestFinished(() => files.close());
      expect(await files.saveArtifact({ ...ref, filename: 'a', artifact: { text: 'x' } })).toBe(0);
      const rows = await tables.query(
        `SELECT app_name FROM ${schema}.${tablePrefix}events, ${schema}.${tablePrefix}sessions`,
      );
      expect(rows).toHaveLength(2);
    });

    it('that was closed answers no more and opens nothing, whether it was used before or not', async () => {
      for (const isUsed of [true, false]) {
        const service = new DatabaseSessionService({ dbUrl, tablePrefix });
        if (isUsed) await service.ping();
        await service.close();
        await service.close();
        await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }
    });

    it('makes no tables with autoMigrate false, and says what is missing until migrate() has run', async () => {
      const place = { dbUrl, tablePrefix: `explicit_${process.pid}_` };
      const service = opened({ ...place, autoMigrate: false });
      await expect(service.getSession(ref)).rejects.toMatchObject({
        code: 'STORE_VERSION',
        message: expect.stringContaining('migrate()'),
      });
      await opened(place).migrate();
      expect(await service.getSession(ref)).toBeUndefined();
    });

    it('refuses tables of a version that it does not know', async () => {
      const place = { dbUrl, tablePrefix: `newer_${process.pid}_` };
      await opened(place).migrate();
      await tables.query(`UPDATE ${place.tablePrefix}meta SET content = '3'`);
      await expect(opened(place).getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    });

    it('finds events, sessions and state through an index', async () => {
      const store = new SqlSessionStore({ dbUrl, tablePrefix });
      onTestFinished(() => store.close());
      const service = opened({ dbUrl });
      for (let i = 0; i < 50; i++) {
        const sessionId = `s${i}`;
        await service.createSession({ ...ref, sessionId, state: { 'user:a': 1 } });
        await service.appendEvent({ session: { ...ref, sessionId }, event: event('e1') });
      }
      const { pool, roundTrips } = poolOf();
      const asking = opened({ db: pool, dialect: kind });
      await asking.getSession({ ...ref, numRecentEvents: 1 });
      const { text } = roundTrips.at(-1)!;
      const plan = await explained(kind, tables, text);
      expect(plan.scans).toEqual([]);
    });
  });
}

/** A trigger that ends the first write to a user's state as the victim of a deadlock. */
async function refuseStateOnce(
  kind: 'postgres' | 'mariadb',
  tables: { query(sql: string): Promise<unknown> },
): Promise<void> {
  const table = `${tablePrefix}user_states`;
  const trigger = `${tablePrefix}refusal`;
  if (kind === 'mariadb') {
    await tables.query(`CREATE OR REPLACE TRIGGER ${trigger} BEFORE INSERT ON ${table} FOR EACH ROW
      IF @refused IS NULL THEN SET @refused = 1; SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF`);
    onTestFinished(async () => void (await tables.query(`DROP TRIGGER ${trigger}`)));
    return;
  }
  await tables.query(`DROP SEQUENCE IF EXISTS ${trigger}_count CASCADE`);
  await tables.query(`CREATE SEQUENCE ${trigger}_count`);
  await tables.query(`CREATE OR REPLACE FUNCTION ${trigger}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('${trigger}_count') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$`);
  await tables.query(`CREATE OR REPLACE TRIGGER ${trigger} BEFORE INSERT ON ${table} FOR EACH ROW
    EXECUTE FUNCTION ${trigger}()`);
  onTestFinished(async () => void (await tables.query(`DROP FUNCTION ${trigger} CASCADE`)));
}

/** The tables that the statement reads from one end to the other. */
async function explained(
  kind: 'postgres' | 'mariadb',
  tables: { query(sql: string): Promise<{ [column: string]: unknown }[]> },
  text: string,
): Promise<{ scans: string[] }> {
  // Parameters as text: the plan is asked for, not the answer.
  const literals = ["'app'", "'u'", "'s'", '0', "'app'", "'u'", "'s'", '0', '0', '0', '1', "'app'", "'app'", "'u'"];
  let at = 0;
  const sql = text.replaceAll(/\$\d+|\?/g, () => literals[at++]!);
  if (kind === 'postgres') {
    await tables.query(`ANALYZE ${tablePrefix}events`);
    await tables.query('SET enable_seqscan = off');
    const rows = await tables.query(`EXPLAIN ${sql}`);
    await tables.query('RESET enable_seqscan');
    return { scans: rows.map((row) => String(row['QUERY PLAN'])).filter((line) => line.includes('Seq Scan')) };
  }
  const rows = await tables.query(`EXPLAIN ${sql}`);
  return {
    scans: rows.filter((row) => row['type'] === 'ALL' && !String(row['table']).startsWith('<derived')).map(String),
  };
}
