import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions } from '@thole/sql-services';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { recordMariaDb, recordPostgres } from '../support/recording-pool.ts';
import { serverTables } from '../support/server-tables.ts';

const tablePrefix = 'calls_';
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string, stateDelta = {}) => createEvent({ id, author: 'agent', actions: { stateDelta } });

/** Round trips of one append with each kind of state. On MariaDB a repeated id also costs a rollback and a query. */
const expectedTrips = {
  postgres: { none: 1, session: 1, user: 1, app: 1, all: 1, fenced: 1, marks: 1, repeated: 2, missing: 2 },
  // One of them sets the isolation level on a connection of the caller.
  mariadb: { none: 5, session: 5, user: 6, app: 6, all: 7, fenced: 5, marks: 5, repeated: 6, missing: 5 },
} as const;

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `SqlSessionStore (${kind})`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, tablePrefix);
    beforeEach(() => tables.empty());
    afterAll(() => tables.close());

    function openService(options: DatabaseSessionServiceOptions): DatabaseSessionService {
      const service = new DatabaseSessionService({ tablePrefix, ...options });
      onTestFinished(() => service.close());
      return service;
    }

    const createPool = () => {
      const recorded = kind === 'postgres' ? recordPostgres(dbUrl) : recordMariaDb(dbUrl);
      onTestFinished(() => recorded.close());
      return recorded;
    };

    it('appends in one round trip on PostgreSQL and five to seven on MariaDB', async () => {
      const { pool, roundTrips } = createPool();
      const service = openService({ db: pool, dialect: kind });
      await service.createSession(ref);
      const { fence } = await service.leasing!.lease(ref, {
        ...{ invocationId: 'i', holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0, ttlMs: 60_000, cleanupMs: 0 },
      });
      await service.appendEvent({ session: ref, event: event('first') });
      const count = async (call: () => Promise<unknown>): Promise<number> => {
        roundTrips.length = 0;
        await call().catch(() => {});
        return roundTrips.length;
      };
      const append = (id: string, delta = {}) => service.appendEvent({ session: ref, event: event(id, delta) });
      const marks = { unfinished: 'i', wakeAt: 1, openInterrupts: 2 };
      const trips = {
        none: await count(() => append('e1')),
        session: await count(() => append('e2', { a: 1, b: null })),
        user: await count(() => append('e3', { 'user:a': 1, 'user:b': 2, 'user:c': null })),
        app: await count(() => append('e4', { 'app:a': 1 })),
        all: await count(() => append('e5', { a: 2, 'user:a': 2, 'app:a': null })),
        fenced: await count(() => service.appendEvent({ session: ref, event: event('e6'), fence })),
        marks: await count(() => service.appendEvent({ session: ref, event: event('e7'), fence, marks })),
        repeated: await count(() => append('e5')),
        missing: await count(() => service.appendEvent({ session: { ...ref, sessionId: 'no' }, event: event('e8') })),
      };
      expect((await service.getSession(ref))!.lastSeq).toBe(8);
      expect(trips).toEqual(expectedTrips[kind]);
    });

    it('uses no named statements, settings or session locks, for poolers in transaction mode', async () => {
      const { pool, roundTrips } = createPool();
      const service = openService({ db: pool, dialect: kind });
      await service.createSession({ ...ref, state: { a: 1, 'user:b': 2 } });
      await service.appendEvent({ session: ref, event: event('e1', { 'app:c': 3 }) });
      await service.listSessions({ appName: 'app' });
      const lease = await service.leasing!.lease(ref, {
        ...{ invocationId: 'i', holder: 'r', policy: 'queue', waitMs: 0, maxWaiting: 0, ttlMs: 60_000, cleanupMs: 0 },
      });
      await lease.renew();
      await lease.release({ ifLastSeq: 1 });
      await service.deleteUserData(ref);
      expect(roundTrips.filter(({ name }) => name !== undefined)).toEqual([]);
      const statements = /^\s*(SET (?!TRANSACTION)|LISTEN|PREPARE|DECLARE)|advisory_lock/i;
      expect(roundTrips.filter(({ text }) => statements.test(text))).toEqual([]);
    });

    if (kind === 'mariadb') {
      it('finds the session of an append by its unique key', async () => {
        const { pool, roundTrips } = createPool();
        const service = openService({ db: pool, dialect: kind });
        await service.createSession(ref);
        await service.appendEvent({ session: ref, event: event('e1') });
        const { text } = roundTrips.find((each) => each.text.startsWith('UPDATE'))!;
        const literals = ['1', 'NULL', "'app'", "'u'", "'s'", '1'];
        const plan = await tables.query(`EXPLAIN ${text.replaceAll('?', () => literals.shift()!)}`);
        expect(plan.map((row) => row['key'])).toEqual([`${tablePrefix}sessions_triple`]);
      });
    }

    it('repeats an append after a deadlock (contract 7)', async () => {
      const service = openService({ dbUrl, maxConnections: 1 });
      await service.createSession(ref);
      await failNextStateWrite(kind, tables);
      const stored = await service.appendEvent({ session: ref, event: event('e1', { a: 1, 'user:b': 2 }) });
      const session = (await service.getSession(ref))!;
      expect([stored.seq, session.lastSeq, session.state]).toEqual([1, 1, { a: 1, 'user:b': 2 }]);
    });

    it('stores each of many concurrent appends once and in order (contracts 6, 8)', async () => {
      const services = [1, 2, 3, 4].map(() => openService({ dbUrl }));
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

    it('finds events, sessions and state through an index', async () => {
      const service = openService({ dbUrl });
      for (let i = 0; i < 50; i++) {
        const sessionId = `s${i}`;
        await service.createSession({ ...ref, sessionId, state: { 'user:a': 1 } });
        await service.appendEvent({ session: { ...ref, sessionId }, event: event('e1') });
      }
      const { pool, roundTrips } = createPool();
      await openService({ db: pool, dialect: kind }).getSession({ ...ref, numRecentEvents: 1 });
      expect(await findTableScans(kind, tables, roundTrips.at(-1)!.text)).toEqual([]);
    });
  });
}

/** Creates a trigger that fails the next write to a user's state as the victim of a deadlock. */
async function failNextStateWrite(
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

/** Returns the tables that the statement reads completely. */
async function findTableScans(
  kind: 'postgres' | 'mariadb',
  tables: { query(sql: string): Promise<{ [column: string]: unknown }[]> },
  text: string,
): Promise<string[]> {
  // EXPLAIN needs literals instead of parameters.
  const literals = ["'app'", "'u'", "'s'", '0', "'app'", "'u'", "'s'", '0', '0', '0', '1', "'app'", "'app'", "'u'"];
  let next = 0;
  const sql = text.replaceAll(/\$\d+|\?/g, () => literals[next++]!);
  if (kind === 'postgres') {
    await tables.query(`ANALYZE ${tablePrefix}events`);
    await tables.query('SET enable_seqscan = off');
    const rows = await tables.query(`EXPLAIN ${sql}`);
    await tables.query('RESET enable_seqscan');
    return rows.map((row) => String(row['QUERY PLAN'])).filter((line) => line.includes('Seq Scan'));
  }
  const rows = await tables.query(`EXPLAIN ${sql}`);
  return rows.filter((row) => row['type'] === 'ALL' && !String(row['table']).startsWith('<derived')).map(String);
}
