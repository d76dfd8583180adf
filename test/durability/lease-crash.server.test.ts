import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import type { Lease, LeasePolicy, SessionRef } from '@thole/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { backends, describeBackends } from './backends.ts';
import type { Database } from './backends.ts';
import { Child } from './child.ts';
import { openSessions } from './open-sessions.ts';

type Told = { held: true } | { appended: true } | { failed: string };

/** Longer than any of these tests. */
const TTL_MS = 600_000;
const UNSHARE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

// On Linux root may always use `unshare`. Other users may use it if the kernel allows it.
const canUnshare =
  platform() === 'linux' &&
  (process.getuid?.() === 0 || spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), 'true']).status === 0);

describeBackends(backends, (backend) => {
  let database: Database;
  let sessions = 0;
  beforeAll(async () => void (database = await backend.open()));
  afterAll(() => database?.remove());

  it.runIf(platform() === 'linux')('grants the session at once when its process was killed (contract 13)', async () => {
    const { child, lease } = await holdLease();
    await expect(lease('reject')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await child.kill();
    expect((await lease('reject')).head).toBeDefined();
  });

  it.runIf(platform() === 'linux')(
    'grants the session of a killed process to a waiting and to an interrupting run (contract 13)',
    async () => {
      for (const policy of ['queue', 'interrupt'] as const) {
        const { child, lease } = await holdLease();
        const waiting = lease(policy);
        await child.kill();
        await waiting;
      }
    },
  );

  it('does not treat a stopped process as dead (contract 13)', async () => {
    const { child, lease } = await holdLease();
    child.pause();
    await expect(lease('reject')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    child.resume();
    child.say({ append: true });
    expect(await child.next()).toEqual({ appended: true });
  });

  it.runIf(canUnshare)(
    'does not treat a process of another pid namespace as dead, even if it is (contract 13)',
    async () => {
      const { child, lease } = await holdLease(UNSHARE);
      await expect(lease('reject')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
      child.say({ append: true });
      expect(await child.next()).toEqual({ appended: true });
      await child.kill();
      await expect(lease('reject')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    },
  );

  it.runIf(canUnshare)('keeps the lease if a process of another pid namespace wants it (contract 13)', async () => {
    const { ref, lease } = await holdLease();
    const program = { program: 'hold-lease.ts', launcher: UNSHARE };
    const other = new Child<Told>(program, database.url, JSON.stringify(ref), '1');
    await expect(other.next()).rejects.toThrow('SESSION_BUSY');
    await expect(lease('reject')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
  });

  /** Starts a child that holds the lease of a new session. */
  async function holdLease(
    launcher: readonly string[] = [],
  ): Promise<{ ref: SessionRef; child: Child<Told>; lease: (policy: LeasePolicy) => Promise<Lease> }> {
    const { service, close } = await openSessions(database.url);
    onTestFinished(close);
    const ref = { appName: 'app', userId: 'ann', sessionId: `s${sessions++}` };
    await service.createSession(ref);
    const program = { program: 'hold-lease.ts', launcher };
    const child = new Child<Told>(program, database.url, JSON.stringify(ref), String(TTL_MS));
    expect(await child.next()).toEqual({ held: true });
    const request = { invocationId: 'second', holder: 'test', waitMs: 60_000, maxWaiting: 1, cleanupMs: TTL_MS };
    return { ref, child, lease: (policy) => service.leasing!.lease(ref, { ...request, policy, ttlMs: TTL_MS }) };
  }
});

it.runIf(process.getuid?.() === 0 && /^ID=debian$/m.test(release()))(
  'has pid namespaces to test with on Debian',
  () => {
    expect(spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), 'true']).status).toBe(0);
  },
);

function release(): string {
  return platform() === 'linux' ? readFileSync('/etc/os-release', 'utf8') : '';
}
