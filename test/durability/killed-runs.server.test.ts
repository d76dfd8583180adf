import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { runTripWithoutCrash, SimulatedWorld, violationsOf } from '@thole/testing/simulation';
import { expect, it, onTestFinished } from 'vitest';
import { rounds } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import { Child } from './child.ts';
import type { TripNews } from './children/run-trip.ts';
import { openSessions } from './open-sessions.ts';
import { classes } from './runner-classes.ts';

describeBackends(backends, (backend) => {
  it('continues runs of killed processes with the same result (contract 7)', async () => {
    const database = await backend.open();
    onTestFinished(() => database.remove());
    const { service, close } = await openSessions(database.url);
    onTestFinished(close);
    const createSessionService = (runtime: FixedRuntime): InMemorySessionService =>
      new InMemorySessionService({ runtime });
    const expected = await runTripWithoutCrash({ classes, createSessionService });
    const moments = new FixedRuntime({ seed: 11 });
    const kills = rounds(5, 200);
    for (let killed = 0, trip = 0; killed < kills; trip++) {
      const ref = { appName: `trips-${trip}`, userId: 'ann', sessionId: 's' };
      const world = new SimulatedWorld();
      for (let isDone = false; !isDone;) {
        const keys = JSON.stringify([...world.keys]);
        const child = new Child<TripNews>('run-trip.ts', database.url, JSON.stringify(ref), keys);
        await child.next();
        if (killed < kills) await wait(child, moments.random() * 250);
        else await child.finished();
        isDone = hasEnded(child);
        if (isDone) await child.finished();
        else await child.kill();
        if (!isDone) killed++;
        for (const news of child.told) {
          if ('effect' in news) world.takeEffect(ref.userId, news.effect.callId, news.effect.key);
          if ('acknowledged' in news) world.acknowledge(ref.userId, news.acknowledged);
          if ('done' in news) world.violations.push(...news.violations);
        }
        isDone ||= hasEnded(child);
      }
      const session = await service.getSession(ref);
      expect(violationsOf(session!, expected, world)).toEqual([]);
    }
  });
});

function hasEnded(child: Child<TripNews>): boolean {
  return child.told.some((news) => 'done' in news);
}

/** Waits until the child has ended its trip, at most this long. */
async function wait(child: Child<TripNews>, ms: number): Promise<void> {
  for (let left = ms; left > 0 && !hasEnded(child); left -= 5) await new Promise((resolve) => setTimeout(resolve, 5));
}
