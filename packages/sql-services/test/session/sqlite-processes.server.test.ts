import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { rounds } from '../../../../test/servers/index.ts';
import { readOutput, startProcess } from '../support/start-process.ts';
import { checkTakeOver } from '../support/check-take-over.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-processes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
let count = 0;

function place(): { path: string; dbUrl: string } {
  const path = join(folder, `${count++}.db`);
  return { path, dbUrl: `sqlite:///${path}` };
}

function opened(options: ConstructorParameters<typeof DatabaseSessionService>[0]): DatabaseSessionService {
  const service = new DatabaseSessionService(options);
  onTestFinished(() => service.close());
  return service;
}

describe('a SQLite file that several processes use', () => {
  it(
    'loses, repeats and reorders nothing when processes that find no file append at once, in every scope (contract 6, 8)',
    { timeout: 300_000 },
    async () => {
      const { dbUrl } = place();
      const [processes, tasks] = [rounds(4, 32), rounds(16, 64)];
      const told = await Promise.all(
        Array.from({ length: processes }, (_, i) =>
          readOutput(startProcess('append-many.ts', dbUrl, `p${i}`, String(tasks), '2')),
        ),
      );
      const ids = told.flatMap(({ lines }) => lines);
      const { events, state, lastSeq } = (await opened(dbUrl).getSession(ref))!;
      const count = processes * tasks;
      expect([ids.length, lastSeq]).toEqual([count * 2, count * 2]);
      expect(events.map((event) => event.seq)).toEqual(ids.map((_, i) => i + 1));
      expect(events.map((event) => event.id).toSorted()).toEqual(ids.toSorted());
      expect(Object.keys(state)).toHaveLength(count * 4);
    },
  );

  it(
    'keeps what was acknowledged, once and with its state, when the process is killed at any moment (contract 7)',
    { timeout: 600_000 },
    async () => {
      const { dbUrl } = place();
      for (let round = 0; round < rounds(3, 100); round++) {
        const child = startProcess('append-many.ts', dbUrl, `p${round}`, '8', '100000');
        const ending = readOutput(child);
        await once(child.stdout, 'data');
        await sleep(20 + 30 * (round % 7));
        child.kill('SIGKILL');
        const acknowledged = (await ending).lines;
        const service = new DatabaseSessionService(dbUrl);
        const { events, state, lastSeq } = (await service.getSession(ref))!;
        await service.close();
        const stored = events.map((event) => event.id);
        expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
        expect([new Set(stored).size, events.at(-1)!.seq]).toEqual([lastSeq, lastSeq]);
        expect(stored.filter((id) => state[`k-${id}`] !== 1)).toEqual([]);
      }
    },
  );

  it(
    'lets timers fire while another process holds the write lock, and writes once it lets go',
    { timeout: 60_000 },
    async () => {
      const { path, dbUrl } = place();
      const service = opened(dbUrl);
      await service.createSession(ref);
      const holder = startProcess('hold-lock.ts', path, String(rounds(1_500, 5_000)));
      await once(holder.stdout, 'data');
      let fired = 0;
      const timer = setInterval(() => fired++, 10);
      const begun = performance.now();
      const stored = await service.appendEvent({ session: ref, event: createEvent({ author: 'user' }) });
      clearInterval(timer);
      const waited = performance.now() - begun;
      await readOutput(holder);
      expect(stored.seq).toBe(1);
      expect(waited).toBeGreaterThan(500);
      // One that blocked for even half of the time would have lost half of them.
      expect(fired).toBeGreaterThan(waited / 10 / 4);
    },
  );

  it('reads what is stored while another process holds the write lock', async () => {
    const { path, dbUrl } = place();
    const service = opened(dbUrl);
    await service.createSession({ ...ref, state: { a: 1 } });
    const holder = startProcess('hold-lock.ts', path, '60000');
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    expect((await service.getSession(ref))!.state).toEqual({ a: 1 });
    expect((await service.listSessions({ appName: 'app' })).total).toBe(1);
  });

  it('says STORE_UNAVAILABLE when the lock was not to be had within timeoutMs, and has written nothing (contract 7)', async () => {
    const { path, dbUrl } = place();
    const service = opened({ dbUrl, timeoutMs: 200 });
    await service.createSession(ref);
    const holder = startProcess('hold-lock.ts', path, '60000');
    await once(holder.stdout, 'data');
    const events = ['e1', 'e2', 'e3'].map((id) => createEvent({ id, author: 'user' }));
    const appends = await Promise.allSettled(events.map((event) => service.appendEvent({ session: ref, event })));
    expect(appends).toMatchObject(events.map(() => ({ reason: { code: 'STORE_UNAVAILABLE', retryable: true } })));
    holder.kill('SIGKILL');
    await readOutput(holder);
    expect((await service.appendEvent({ session: ref, event: events[0]! })).seq).toBe(1);
  });

  it('stores nothing of a run whose lease ran out in the middle of its appends (contract 13)', async () => {
    const { dbUrl } = place();
    await checkTakeOver(
      [1, 2, 3].map(() => opened({ dbUrl, pollMs: 5 })),
      12,
    );
  });

  it('gives a session to one of two processes’ runs, and lets the other interrupt it (contract 13)', async () => {
    const { dbUrl } = place();
    // Two instances with a connection each, as two processes have them; nothing but the file is shared.
    const [one, other] = [opened({ dbUrl, pollMs: 20 }), opened({ dbUrl, pollMs: 20 })];
    await one.createSession(ref);
    const request = { holder: 'r', waitMs: 20_000, maxWaiting: 16, ttlMs: 30_000, cleanupMs: 5_000 } as const;
    const first = await one.leasing!.lease(ref, { ...request, invocationId: 'i1', policy: 'queue' });
    const rejected = other.leasing!.lease(ref, { ...request, invocationId: 'i2', policy: 'reject' });
    await expect(rejected).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    const stopped = once(first.stop, 'abort');
    const newer = other.leasing!.lease(ref, { ...request, invocationId: 'i3', policy: 'interrupt' });
    await stopped;
    expect(first.stop.reason).toMatchObject({ code: 'RUN_INTERRUPTED' });
    await first.release();
    const lease = await newer;
    const late = one.appendEvent({ session: ref, event: createEvent({ author: 'user' }), fence: first.fence });
    await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await one.leasing!.requestStop(ref, 'i3')).toBe(true);
    await once(lease.stop, 'abort');
    expect(lease.stop.reason).toMatchObject({ code: 'RUN_ABORTED' });
    await lease.release();
  });
});
