import type { SessionRef } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { expect, it, onTestFinished } from 'vitest';
import { rounds, until } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import { stepsIn } from './check-steps.ts';
import { Child } from './child.ts';
import { openSessions } from './open-sessions.ts';

const session: SessionRef = { appName: 'app', userId: 'ann', sessionId: 's' };
const tasks = ['a', 'b', 'c', 'd'];
const serverBackends = backends.filter(({ start }) => start !== undefined);

describeBackends(serverBackends, (backend) => {
  it('keeps every acknowledged event when the server is killed, and a repeated append once (contract 7)', async () => {
    const server = await backend.start!();
    onTestFinished(() => server.remove());
    const { url } = server;
    const first = await openSessions(url);
    await first.service.createSession(session);
    await first.close();
    const child = new Child<{ task: string; n: number }>(
      ...(['append-steps.ts', url, JSON.stringify(session), JSON.stringify(tasks)] as const),
    );
    const moments = new FixedRuntime({ seed: 7 });

    for (let round = 0; round < rounds(3, 60); round++) {
      const before = child.told.length;
      await until(() => child.hasSentMoreThan(before + tasks.length), { why: 'the child does not append' });
      await new Promise((resolve) => setTimeout(resolve, moments.random() * 100));
      await server.kill();
      await server.restart();
    }
    child.say({ stop: true });
    await child.finished();

    const { service, close } = await openSessions(url);
    onTestFinished(close);
    const stored = stepsIn((await service.getSession(session))!);
    for (const task of tasks) {
      const steps = child.told.filter((each) => each.task === task).map(({ n }) => n);
      expect(steps).toEqual(steps.map((_, i) => i));
      expect(stored.get(task)).toBe(steps.at(-1));
    }
  });
});
