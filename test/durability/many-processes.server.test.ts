import type { SessionRef } from '@thole/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { rounds } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import type { Database } from './backends.ts';
import { stepsIn } from './check-steps.ts';
import { Child } from './child.ts';
import type { Command } from './children/write-at-once.ts';
import { openSessions } from './open-sessions.ts';

const session: SessionRef = { appName: 'app', userId: 'ann', sessionId: 's' };

describeBackends(backends, (backend) => {
  let database: Database;
  let children: Child<object>[];
  beforeAll(async () => {
    database = await backend.open();
    const program = { program: 'write-at-once.ts', isShared: true };
    children = Array.from({ length: rounds(4, 32) }, () => new Child(program, database.url));
    for (const child of children) expect(await child.next()).toEqual({ ready: true });
  });
  afterAll(async () => {
    await Promise.all(children.map((child) => child.end()));
    await database.remove();
  });

  it('accepts its first use by many processes at once', async () => {
    await allAtOnce((child) => ({ first: `user ${child}` }));

    const { service, close } = await openSessions(database.url);
    onTestFinished(close);
    const { sessions, total } = await service.listSessions({ appName: 'first' });
    expect(total).toBe(children.length);
    for (const { userId, id } of sessions) {
      stepsIn((await service.getSession({ appName: 'first', userId, sessionId: id }))!, ['', 'user:']);
    }
  });

  it('stores the appends of many processes with 64 tasks each once and in order (contracts 6, 8)', async () => {
    const { service, close } = await openSessions(database.url);
    onTestFinished(close);
    await service.createSession(session);
    const steps = rounds(2, 3);
    await allAtOnce((child) => ({
      append: { session, steps, tasks: Array.from({ length: 64 }, (_, task) => `${child}.${task}`) },
    }));

    const counts = stepsIn((await service.getSession(session))!);
    expect(counts.size).toBe(children.length * 64);
    expect(new Set(counts.values())).toEqual(new Set([steps]));
  });

  /** Gives each child its command at the same time, and waits until all are done without an error. */
  async function allAtOnce(commandOf: (child: number) => Command): Promise<void> {
    for (const [i, child] of children.entries()) child.say(commandOf(i));
    for (const child of children) expect(await child.next()).toEqual({ failed: [] });
  }
});
