import type { SessionRef } from '@thole/core';
import { expect, it, onTestFinished } from 'vitest';
import { rounds } from '../servers/index.ts';
import { backends } from './backends.ts';
import { Child } from './child.ts';
import { openSessions } from './open-sessions.ts';
import { stepOf } from './steps.ts';

const session: SessionRef = { appName: 'app', userId: 'ann', sessionId: 's' };

it('does not block timers while an append waits for the write lock of a SQLite file', async () => {
  const holdMs = rounds(1_500, 5_000);
  const { url, remove } = await backends[0]!.open();
  onTestFinished(remove);
  const { service, close } = await openSessions(url);
  onTestFinished(close);
  await service.createSession(session);
  const holder = new Child<{ held?: true; freed?: true }>('hold-write-lock.ts', url, String(holdMs));
  expect(await holder.next()).toEqual({ held: true });

  let ticks = 0;
  let longest = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    ticks++;
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }, 10);
  onTestFinished(() => clearInterval(timer));
  const freed = holder.next();
  const stored = await service.appendEvent({ session, event: stepOf('a', 1) });
  clearInterval(timer);

  expect(stored.seq).toBe(1);
  expect(await freed).toEqual({ freed: true });
  expect(ticks).toBeGreaterThan(holdMs / 50);
  expect(longest).toBeLessThan(holdMs / 2);
});
