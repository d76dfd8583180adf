import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeWith, until } from '../../../../test/servers/index.ts';
import { openBehindProxy } from '../support/behind-proxy.ts';
import { checkTakeOver } from '../support/check-take-over.ts';
import { recordMariaDb, recordPostgres } from '../support/recording-pool.ts';
import { serverTables } from '../support/server-tables.ts';

const tablePrefix = 'leases_';
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string) => createEvent({ id, author: 'agent' });

/** Round trips of the steps of a lease. */
const expectedTrips = {
  postgres: { grant: 6, renew: 5, release: 1, releaseIfLastSeq: 6 },
  // One more in each transaction: it sets the isolation level on a connection of the caller.
  mariadb: { grant: 7, renew: 6, release: 1, releaseIfLastSeq: 7 },
} as const;

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `SqlLeaseStore (${kind})`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, tablePrefix);
    beforeEach(() => tables.empty());
    afterAll(() => tables.close());

    function openService(options: DatabaseSessionServiceOptions): DatabaseSessionService {
      const service = new DatabaseSessionService({ dbUrl, tablePrefix, ...options });
      onTestFinished(() => service.close());
      return service;
    }

    it('grants, renews and releases a lease in few round trips', async () => {
      const { pool, roundTrips, close } = kind === 'postgres' ? recordPostgres(dbUrl) : recordMariaDb(dbUrl);
      onTestFinished(() => close());
      const service = new DatabaseSessionService({ db: pool, dialect: kind, tablePrefix });
      await service.createSession(ref);
      const count = async <T>(call: () => Promise<T>): Promise<[T, number]> => {
        roundTrips.length = 0;
        const result = await call();
        return [result, roundTrips.length];
      };
      const request = { holder: 'r', policy: 'queue', waitMs: 0, maxWaiting: 0, ttlMs: 60_000, cleanupMs: 0 } as const;
      const [first, grant] = await count(() => service.leasing!.lease(ref, { ...request, invocationId: 'i1' }));
      const [, renew] = await count(() => first.renew());
      const [, release] = await count(() => first.release());
      const second = await service.leasing!.lease(ref, { ...request, invocationId: 'i2' });
      const [isReleased, releaseIfLastSeq] = await count(() =>
        second.release({ ifLastSeq: 0, marks: { unfinished: null } }),
      );
      expect(isReleased).toBe(true);
      expect({ grant, renew, release, releaseIfLastSeq }).toEqual(expectedTrips[kind]);
    });

    it('removes a lease whose grant was not answered (contract 13)', async () => {
      const { proxy, service } = await openBehindProxy(dbUrl, (url) => openService({ dbUrl: url, timeoutMs: 10_000 }));
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

    it('rejects appends of a run after another run has taken its session (contract 13)', async () => {
      await checkTakeOver(
        [1, 2, 3, 4].map(() => openService({ pollMs: 5 })),
        10,
      );
    });

    it('grants a lease whose head includes an append that was running (contract 13)', async () => {
      const [first, second] = [openService({ pollMs: 10 }), openService({ pollMs: 10 })];
      await first.createSession(ref);
      const request = { holder: 'r', policy: 'queue', waitMs: 10_000, maxWaiting: 9, cleanupMs: 0 } as const;
      const older = await first.leasing!.lease(ref, { ...request, invocationId: 'i1', ttlMs: 250 });
      // The append waits for the lock of the session's row in the middle of its statement.
      await tables.query('BEGIN');
      await tables.query(`SELECT row_id FROM ${tablePrefix}sessions FOR UPDATE`);
      const appending = first
        .appendEvent({ session: ref, event: event('e1'), fence: older.fence })
        .catch(() => undefined);
      await sleep(400);
      const leasing = second.leasing!.lease(ref, { ...request, invocationId: 'i2', ttlMs: 60_000 });
      await sleep(200);
      await tables.query('COMMIT');
      await appending;
      const newer = await leasing;
      expect((await second.getSession(ref))!.lastSeq).toBe(newer.head!.lastSeq);
    });

    it('either stores an event with ifHeldBy or releases the lease, never both (contract 13)', async () => {
      const [holder, sender] = [openService({}), openService({})];
      await holder.createSession(ref);
      let stored = 0;
      for (let i = 0; i < 40; i++) {
        const invocationId = `i${i}`;
        const lease = await holder.leasing!.lease(ref, {
          ...{ invocationId, holder: 'r', policy: 'queue', waitMs: 10_000, maxWaiting: 1, ttlMs: 60_000, cleanupMs: 0 },
        });
        const appending = sender.appendEvent({ session: ref, event: event(`e${i}`), ifHeldBy: invocationId }).then(
          () => true,
          (error: { code: string }) => expect(error.code).toBe('NOT_RUNNING') as never,
        );
        const isReleased = await lease.release({ ifLastSeq: stored });
        const isStored = (await appending) === true;
        if (isStored) stored++;
        expect([isReleased, isStored]).toEqual([!isStored, isStored]);
        await lease.release();
      }
      expect((await sender.getSession(ref))!.lastSeq).toBe(stored);
    });

    it('measures expiry by the clock of the database (contract 13)', async () => {
      const slow = openService({ runtime: new FixedRuntime({ now: 1_000 }) });
      const service = openService({});
      await service.createSession(ref);
      const request = { holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0, cleanupMs: 0 } as const;
      const lease = await slow.leasing!.lease(ref, { ...request, invocationId: 'i1', ttlMs: 60_000 });
      const leasing = service.leasing!.lease(ref, { ...request, invocationId: 'i2', ttlMs: 60_000 });
      await expect(leasing).rejects.toMatchObject({ code: 'SESSION_BUSY' });
      expect((await service.leasing!.current(ref))!.expired).toBe(false);
      const stored = await slow.appendEvent({ session: ref, event: event('e1'), fence: lease.fence });
      expect(stored.seq).toBe(1);
      expect((await slow.leasing!.current(ref))!.expiresAt).toBe(1_060);
      await lease.release();
    });
  });
}
