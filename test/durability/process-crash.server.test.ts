import type { Session, SessionRef, SessionService } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { expect, it, onTestFinished } from 'vitest';
import { rounds } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import { checkAcknowledged, stepsIn } from './check-steps.ts';
import { Child } from './child.ts';
import { openSessions } from './open-sessions.ts';

const tasks = ['a', 'b', 'c', 'd'];

describeBackends(backends, (backend) => {
  it('keeps every acknowledged event complete when the process is killed at any moment (contract 7)', async () => {
    const database = await backend.open();
    onTestFinished(() => database.remove());
    const { service, close } = await openSessions(database.url);
    onTestFinished(close);
    const moments = new FixedRuntime({ seed: 5 });
    let snapshots = 0;

    // Several short sessions in separate apps, because each session must contain the complete state of its app and user.
    for (let series = 0; series < rounds(1, 20); series++) {
      const session = { appName: `app ${series}`, userId: 'ann', sessionId: 's' };
      await service.createSession(session);
      const acknowledged = new Map<string, number>();
      for (let round = 0; round < rounds(5, 10); round++) {
        const child = new Child<{ task: string; n: number }>(
          ...(['append-steps.ts', database.url, JSON.stringify(session), JSON.stringify(tasks)] as const),
        );
        // The starting point of each task, and one new step. Until then the server has finished its work for the previous child.
        for (let line = 0; line <= tasks.length; line++) await child.next();
        const watching = watch(service, session, () => snapshots++);
        await new Promise((resolve) => setTimeout(resolve, moments.random() * 150));
        await child.kill();
        await watching.stop();
        for (const { task, n } of child.told) acknowledged.set(task, n);
        checkAcknowledged(stepsIn((await service.getSession(session))!), acknowledged);
      }
    }
    expect(snapshots).toBeGreaterThan(0);
  });
});

/** Reads the session repeatedly while another process writes to it. */
function watch(service: SessionService, session: SessionRef, count: () => void): { stop(): Promise<void> } {
  let stopped = false;
  const reading = (async () => {
    while (!stopped) {
      const read: Session | undefined = await service.getSession(session);
      stepsIn(read!, ['']);
      count();
      // Reading a file does not yield to the event loop, which the timers of this test need.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return {
    stop: () => {
      stopped = true;
      return reading;
    },
  };
}
