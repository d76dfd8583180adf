import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { rounds } from '../../../../test/servers/index.ts';
import { readOutput, startProcess } from '../support/start-process.ts';
import { checkTakeOver } from '../support/check-take-over.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-processes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
let count = 0;

function newFile(): { path: string; dbUrl: string } {
  const path = join(folder, `${count++}.db`);
  return { path, dbUrl: `sqlite:///${path}` };
}

function openService(options: ConstructorParameters<typeof DatabaseSessionService>[0]): DatabaseSessionService {
  const service = new DatabaseSessionService(options);
  onTestFinished(() => service.close());
  return service;
}

describe('SQLite file of several processes', () => {
  it(
    'stores each concurrent append of all processes once and in order (contracts 6, 8)',
    { timeout: 300_000 },
    async () => {
      const { dbUrl } = newFile();
      const [processes, tasks] = [rounds(4, 32), rounds(16, 64)];
      const outputs = await Promise.all(
        Array.from({ length: processes }, (_, i) =>
          readOutput(startProcess('append-many.ts', dbUrl, `p${i}`, String(tasks), '2')),
        ),
      );
      const ids = outputs.flatMap(({ lines }) => lines);
      const { events, state, lastSeq } = (await openService(dbUrl).getSession(ref))!;
      const count = processes * tasks;
      expect([ids.length, lastSeq]).toEqual([count * 2, count * 2]);
      expect(events.map((event) => event.seq)).toEqual(ids.map((_, i) => i + 1));
      expect(events.map((event) => event.id).toSorted()).toEqual(ids.toSorted());
      expect(Object.keys(state)).toHaveLength(count * 4);
    },
  );

  it(
    'keeps acknowledged events with their state when a process is killed (contract 7)',
    { timeout: 600_000 },
    async () => {
      const { dbUrl } = newFile();
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

  it('does not block the event loop while it waits for the write lock', async () => {
    const { path, dbUrl } = newFile();
    const service = openService(dbUrl);
    await service.createSession(ref);
    const holder = startProcess('hold-lock.ts', path);
    await once(holder.stdout, 'data');
    const appending = service.appendEvent({ session: ref, event: createEvent({ author: 'user' }) });
    // The append fails after 30 seconds. If it blocked the event loop, these timers would not fire in this time.
    let fired = 0;
    const timer = setInterval(() => {
      if (++fired === 100) holder.kill('SIGKILL');
    }, 10);
    onTestFinished(() => clearInterval(timer));
    expect((await appending).seq).toBe(1);
    expect(fired).toBeGreaterThanOrEqual(100);
  });

  it('can be read while another process holds the write lock', async () => {
    const { path, dbUrl } = newFile();
    const service = openService(dbUrl);
    await service.createSession({ ...ref, state: { a: 1 } });
    const holder = startProcess('hold-lock.ts', path);
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    expect((await service.getSession(ref))!.state).toEqual({ a: 1 });
    expect((await service.listSessions({ appName: 'app' })).total).toBe(1);
  });

  it('throws STORE_UNAVAILABLE if it is locked for timeoutMs, and stores nothing (contract 7)', async () => {
    const { path, dbUrl } = newFile();
    const runtime = new FixedRuntime();
    const service = openService({ dbUrl, runtime, timeoutMs: 500 });
    await service.createSession(ref);
    const holder = startProcess('hold-lock.ts', path);
    await once(holder.stdout, 'data');
    const events = ['e1', 'e2', 'e3'].map((id) => createEvent({ id, author: 'user' }));
    const appends = Promise.allSettled(events.map((event) => service.appendEvent({ session: ref, event })));
    await runtime.advance(510);
    expect(await appends).toMatchObject(events.map(() => ({ reason: { code: 'STORE_UNAVAILABLE', retryable: true } })));
    holder.kill('SIGKILL');
    await readOutput(holder);
    expect((await service.appendEvent({ session: ref, event: events[0]! })).seq).toBe(1);
  });

  it('rejects appends of a run after another run has taken its session (contract 13)', async () => {
    const { dbUrl } = newFile();
    await checkTakeOver(
      [1, 2, 3].map(() => openService({ dbUrl, pollMs: 5 })),
      12,
    );
  });

  it('leases a session to one run until a run of another process interrupts it (contract 13)', async () => {
    const { dbUrl } = newFile();
    // Two services share only the file, like two processes.
    const [holder, other] = [openService({ dbUrl, pollMs: 20 }), openService({ dbUrl, pollMs: 20 })];
    await holder.createSession(ref);
    const request = { holder: 'r', waitMs: 20_000, maxWaiting: 16, ttlMs: 30_000, cleanupMs: 5_000 } as const;
    const first = await holder.leasing!.lease(ref, { ...request, invocationId: 'i1', policy: 'queue' });
    const rejected = other.leasing!.lease(ref, { ...request, invocationId: 'i2', policy: 'reject' });
    await expect(rejected).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    const stopped = once(first.stop, 'abort');
    const newer = other.leasing!.lease(ref, { ...request, invocationId: 'i3', policy: 'interrupt' });
    await stopped;
    expect(first.stop.reason).toMatchObject({ code: 'RUN_INTERRUPTED' });
    await first.release();
    const lease = await newer;
    const late = holder.appendEvent({ session: ref, event: createEvent({ author: 'user' }), fence: first.fence });
    await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await holder.leasing!.requestStop(ref, 'i3')).toBe(true);
    await once(lease.stop, 'abort');
    expect(lease.stop.reason).toMatchObject({ code: 'RUN_ABORTED' });
    await lease.release();
  });
});
