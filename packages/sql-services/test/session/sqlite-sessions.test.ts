import { DatabaseSync } from 'node:sqlite';
import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kyselySqlite } from '../support/kysely-sqlite.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const ref = { appName: 'app', userId: 'u', sessionId: 's' };

function openService(options: ConstructorParameters<typeof DatabaseSessionService>[0]): DatabaseSessionService {
  const service = new DatabaseSessionService(options);
  onTestFinished(() => service.close());
  return service;
}

function openFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path);
  onTestFinished(() => file.close());
  return file;
}

describe('DatabaseSessionService on SQLite', () => {
  it('deletes a user in batches, and continues after an error (contract 12)', async () => {
    const { path, dbUrl } = files.next();
    const service = openService(dbUrl);
    await service.createSession({ ...ref, state: { 'user:a': 1 } });
    await service.createSession({ ...ref, userId: 'other' });
    const file = openFile(path);
    const columns = 'app_name, user_id, incarnation, initial_state, state, create_time, last_update_time, last_seq, v';
    file.exec(`INSERT INTO thole_sessions (session_id, ${columns})
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
      SELECT 'copy ' || i, ${columns} FROM thole_sessions, n WHERE user_id = 'u'`);
    const totalOf = async (userId: string): Promise<number> =>
      (await service.listSessions({ appName: 'app', userId, limit: 1 })).total;
    file.exec(`CREATE TRIGGER refusal BEFORE DELETE ON thole_user_states BEGIN SELECT RAISE(ABORT, 'no'); END`);
    await expect(service.deleteUserData(ref)).rejects.toMatchObject({
      code: 'STORE_OUTCOME_UNKNOWN',
      message: expect.stringContaining('Call deleteUserData again') as string,
    });
    expect(await totalOf('u')).toBe(51);
    file.exec('DROP TRIGGER refusal');
    await service.deleteUserData(ref);
    expect(await totalOf('u')).toBe(0);
    expect(await service.getUserState(ref)).toEqual({});
    expect(await totalOf('other')).toBe(1);
  });

  it('stores nothing of an append if one of its writes fails (contract 7)', async () => {
    const { path, dbUrl } = files.next();
    const service = openService(dbUrl);
    await service.createSession(ref);
    const file = openFile(path);
    for (const table of ['app_states', 'user_states', 'sessions']) {
      const [verb, scope] = table === 'sessions' ? ['UPDATE', ''] : ['INSERT', `${table.slice(0, -'_states'.length)}:`];
      file.exec(`CREATE TRIGGER refusal BEFORE ${verb} ON thole_${table} BEGIN SELECT RAISE(ABORT, 'no'); END`);
      const event = createEvent({ author: 'a', actions: { stateDelta: { a: 1, [`${scope}b`]: 2 } } });
      await expect(service.appendEvent({ session: ref, event })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      file.exec('DROP TRIGGER refusal');
      const { lastSeq, events, state } = (await service.getSession(ref))!;
      expect([lastSeq, events, state]).toEqual([0, [], {}]);
    }
  });

  it('deletes the expired leases of a deleted session or user', async () => {
    const { path, dbUrl } = files.next();
    const runtime = new FixedRuntime();
    const service = openService({ dbUrl, runtime });
    const file = openFile(path);
    const crashInSession = async (sessionId: string): Promise<void> => {
      const session = await service.createSession({ ...ref, sessionId, state: { 'user:a': 1 } });
      await service.appendEvent({ session, event: createEvent({ author: 'a' }) });
      await service.leasing!.lease(
        { ...ref, sessionId },
        {
          ...{ invocationId: 'crashed', holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0 },
          ...{ ttlMs: 1_000, cleanupMs: 0 },
        },
      );
      file.exec(`INSERT INTO thole_lease_waiters (app_name, user_id, session_id, fence, place, expires_at)
        VALUES ('app', 'u', '${sessionId}', 'waiting', 0, ${runtime.now() + 1})`);
      await runtime.advance(1_000);
    };
    const tablesWithRows = (): string[] =>
      ['sessions', 'events', 'leases', 'lease_waiters', 'user_states'].filter(
        (name) => file.prepare(`SELECT 1 FROM thole_${name}`).all().length > 0,
      );
    await crashInSession('s1');
    await service.deleteSession({ ...ref, sessionId: 's1' });
    expect(tablesWithRows()).toEqual(['user_states']);
    await crashInSession('s2');
    await service.deleteUserData(ref);
    expect(tablesWithRows()).toEqual([]);
  });

  it('uses a Kysely instance of the caller and does not close it', async () => {
    const kysely = kyselySqlite(new DatabaseSync(':memory:'));
    onTestFinished(() => kysely.destroy());
    const service = new DatabaseSessionService({ db: kysely, dialect: 'sqlite' });
    await service.createSession({ ...ref, state: { 'user:a': 1 } });
    const ids = ['e1', 'e2', 'e3', 'e4'];
    await Promise.all(ids.map((id) => service.appendEvent({ session: ref, event: createEvent({ id, author: 'a' }) })));
    await service.close();
    expect((await service.getSession(ref))!.events.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
  });

  it('finds rows through an index in all statements of a run', async () => {
    const { path, dbUrl } = files.next();
    await openService(dbUrl).createSession({ ...ref, state: { 'user:a': 1, 'app:b': 1 } });
    const file = openFile(path);
    const prepared: string[] = [];
    const service = new DatabaseSessionService({
      db: kyselySqlite(file, (sql) => prepared.push(sql)),
      dialect: 'sqlite',
    });
    const { fence, release } = await leaseOf(service);
    const event = createEvent({ author: 'a', actions: { stateDelta: { 'app:b': 2 } } });
    await service.appendEvent({ session: ref, event, fence });
    await release();
    await service.getSession({ ...ref, numRecentEvents: 1 });
    await service.listSessions({ appName: 'app', userId: 'u', limit: 10 });
    const statements = prepared.filter(
      (sql) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(sql) && /thole_(events|sessions|lease|.*states)/.test(sql),
    );
    expect(statements.length).toBeGreaterThan(10);
    for (const sql of statements) {
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
      const scans = plan.map(({ detail }) => detail).filter((detail) => /^SCAN (?:thole|[seal]\b)/.test(detail));
      expect(scans, sql).toEqual([]);
    }
  });
});

async function leaseOf(service: DatabaseSessionService): Promise<{ fence: string; release(): Promise<unknown> }> {
  const lease = await service.leasing!.lease(ref, {
    ...{ invocationId: 'i', holder: 'r', policy: 'interrupt', waitMs: 0, maxWaiting: 0 },
    ...{ ttlMs: 60_000, cleanupMs: 0 },
  });
  return { fence: lease.fence, release: () => lease.release({ ifLastSeq: 1, marks: { unfinished: null } }) };
}
