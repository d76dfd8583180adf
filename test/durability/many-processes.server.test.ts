import type { SessionRef } from '@thole/core';
import { expect, it, onTestFinished } from 'vitest';
import { rounds } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import { stepsIn } from './check-steps.ts';
import { Child } from './child.ts';
import { openSessions } from './open-sessions.ts';

const session: SessionRef = { appName: 'app', userId: 'ann', sessionId: 's' };

describeBackends(backends, (backend) => {
  it('stores the appends of many processes with 64 tasks each once and in order (contracts 6, 8)', async () => {
    const processes = rounds(4, 32);
    const steps = rounds(2, 3);
    const { url, remove } = await backend.open();
    onTestFinished(remove);
    const { service, close } = await openSessions(url);
    onTestFinished(close);
    await service.createSession(session);

    const tasksOf = (child: number): string[] => Array.from({ length: 64 }, (_, task) => `${child}.${task}`);
    const children = Array.from(
      { length: processes },
      (_, i) => new Child<{ failed: string[] }>('append-at-once.ts', url, JSON.stringify([session, tasksOf(i), steps])),
    );
    for (const child of children) await child.next();
    for (const child of children) child.say({ begin: true });
    for (const child of children) expect(await child.next()).toEqual({ failed: [] });

    const counts = stepsIn((await service.getSession(session))!);
    expect(counts.size).toBe(processes * 64);
    expect(new Set(counts.values())).toEqual(new Set([steps]));
  });

  it('accepts its first use by many processes at once', async () => {
    const { url, remove } = await backend.open();
    onTestFinished(remove);
    const children = Array.from(
      { length: rounds(4, 16) },
      (_, i) => new Child<{ failed?: string[] }>('use-first.ts', url, String(i)),
    );
    for (const child of children) await child.next();
    for (const child of children) child.say({ begin: true });
    for (const child of children) expect(await child.next()).toEqual({ failed: [] });

    const { service, close } = await openSessions(url);
    onTestFinished(close);
    const { sessions, total } = await service.listSessions({ appName: 'app' });
    expect(total).toBe(children.length);
    for (const { userId, id } of sessions) {
      stepsIn((await service.getSession({ appName: 'app', userId, sessionId: id }))!, ['', 'user:']);
    }
  });
});
