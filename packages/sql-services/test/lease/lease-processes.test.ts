import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createEvent } from '@thole/core';
import type { LeaseRequest } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const request: LeaseRequest = {
  ...{ invocationId: 'i1', holder: 'runner', waitMs: 1_000, maxWaiting: 1, ttlMs: 60_000, cleanupMs: 1_000 },
  policy: 'reject',
};

describe('Leases of dead processes', () => {
  it.runIf(process.platform === 'linux')(
    'are granted to the next run at once; the old fence is rejected (contract 13)',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'thole-lease-'));
      const file = join(folder, 'sessions.db');
      const service = new DatabaseSessionService({ dbUrl: `sqlite:///${file}` });
      onTestFinished(async () => {
        await service.close();
        rmSync(folder, { recursive: true, force: true });
      });
      await service.createSession(ref);
      const first = await service.leasing!.lease(ref, request);
      const next = { ...request, invocationId: 'i2' };
      await expect(service.leasing!.lease(ref, next)).rejects.toMatchObject({ code: 'SESSION_BUSY' });

      // The process with this id now has another start time, so the process of the lease is dead.
      const database = new DatabaseSync(file);
      const { holder } = database.prepare('SELECT holder FROM thole_leases').get() as { holder: string };
      database.prepare('UPDATE thole_leases SET holder = ?').run(holder.replace(/\d+"\]$/, '1"]'));
      database.close();

      const second = await service.leasing!.lease(ref, next);
      expect(await service.leasing!.current(ref)).toMatchObject({ invocationId: 'i2', holder: 'runner' });
      const append = (fence: string): Promise<unknown> =>
        service.appendEvent({ session: ref, event: createEvent({ author: 'a', invocationId: 'i' }), fence });
      await expect(append(first.fence)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await append(second.fence);
      await second.release();
    },
  );
});

describe('DatabaseSessionService.deleteExpiredSessions', () => {
  it('deletes the lease of a process that died before its session was deleted, after a day', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-lease-'));
    const file = join(folder, 'sessions.db');
    const service = new DatabaseSessionService({ dbUrl: `sqlite:///${file}` });
    onTestFinished(async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    });
    await service.createSession(ref);
    await service.leasing!.lease(ref, request);
    await service.deleteUserData(ref);
    const database = new DatabaseSync(file);
    onTestFinished(() => database.close());
    const wait = 'INSERT INTO thole_lease_waiters (app_name, user_id, session_id, fence, place, expires_at)';
    database.exec(`${wait} SELECT app_name, user_id, session_id, 'f', 0, 1 FROM thole_leases`);
    const rows = (): unknown =>
      database.prepare('SELECT user_id FROM thole_leases UNION ALL SELECT user_id FROM thole_lease_waiters').all();
    await service.deleteExpiredSessions();
    expect(rows(), 'the process may still run').toMatchObject([{ user_id: 'u' }]);
    database.exec('UPDATE thole_leases SET expires_at = expires_at - 90000');
    expect(await service.deleteExpiredSessions()).toBe(0);
    expect(rows()).toEqual([]);
  });
});
