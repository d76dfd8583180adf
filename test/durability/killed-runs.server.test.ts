import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { runTripWithoutCrash, SimulatedWorld, violationsOf } from '@thole/testing/simulation';
import { expect, it, onTestFinished } from 'vitest';
import { isLong, rounds } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import { Child } from './child.ts';
import type { TripNews } from './children/run-trip.ts';
import { KilledRunsRow } from './killed-runs-row.ts';
import { openSessions } from './open-sessions.ts';
import { classes } from './runner-classes.ts';

/** Number of kills of each database. */
const kills = Number(process.env['THOLE_KILLS'] ?? rounds(5, 200));
/** Each kill starts a process, which takes up to some seconds on a busy machine. */
const timeoutMs = 60_000 + kills * 12_000;

describeBackends(backends, (backend) => {
  it(
    'continues runs of killed processes with the same result (contract 7)',
    async () => {
      const database = await backend.open();
      onTestFinished(() => database.remove());
      const { service, close } = await openSessions(database.url);
      onTestFinished(close);
      const createSessionService = (runtime: FixedRuntime): InMemorySessionService =>
        new InMemorySessionService({ runtime });
      const expected = await runTripWithoutCrash({ classes, createSessionService });
      const moments = new FixedRuntime({ seed: 11 });
      const row = new KilledRunsRow(backend.name);
      const violations: string[] = [];
      for (let trip = 0; row.kills < kills; trip++) {
        const ref = { appName: `trips-${trip}`, userId: 'ann', sessionId: 's' };
        const world = new SimulatedWorld();
        for (let isDone = false; !isDone;) {
          const keys = JSON.stringify([...world.keys]);
          const child = new Child<TripNews>('run-trip.ts', database.url, JSON.stringify(ref), keys);
          await child.next();
          if (row.kills < kills) await wait(child, moments.random() * 250);
          else await child.finished();
          isDone = hasEnded(child);
          if (isDone) await child.finished();
          else await child.kill();
          if (!isDone) row.kills++;
          for (const news of child.told) {
            if ('effect' in news) world.takeEffect(ref.userId, news.effect.callId, news.effect.key);
            if ('acknowledged' in news) world.acknowledge(ref.userId, news.acknowledged);
            if ('done' in news) world.violations.push(...news.violations);
          }
          isDone ||= hasEnded(child);
        }
        const session = await service.getSession(ref);
        const found = violationsOf(session!, expected, world);
        row.addTrip(session!, world, found);
        violations.push(...found);
      }
      if (isLong || process.env['THOLE_KILLS'] !== undefined) console.log(row.toString());
      expect(violations).toEqual([]);
    },
    timeoutMs,
  );
});

function hasEnded(child: Child<TripNews>): boolean {
  return child.told.some((news) => 'done' in news);
}

/** Waits until the child has ended its trip, at most this long. */
async function wait(child: Child<TripNews>, ms: number): Promise<void> {
  for (let left = ms; left > 0 && !hasEnded(child); left -= 5) await new Promise((resolve) => setTimeout(resolve, 5));
}
