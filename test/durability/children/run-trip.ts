// run-trip.ts <url> <session> <keys>: continues a trip until it has ended, with a short wait at each point. Reports effects of tools,
// acknowledged events and broken promises at once. `keys` are the idempotency keys of earlier effects.
import { systemRuntime } from '@thole/core';
import type { Event, SessionRef } from '@thole/core';
import { createTripApp, driveTrip, SimulatedProcess, SimulatedWorld } from '@thole/testing/simulation';
import { openSessions } from '../open-sessions.ts';
import { classes } from '../runner-classes.ts';
import { Channel } from './channel.ts';

export type TripNews =
  | { ready: true }
  | { effect: { callId: string; key: string } }
  | { acknowledged: Event }
  | { done: true; violations: string[] };

const [url = '', session = '', keys = ''] = process.argv.slice(2);
const ref = JSON.parse(session) as SessionRef;
const channel = new Channel<object>();

/** Reports effects and acknowledged events to the test. */
class ReportingWorld extends SimulatedWorld {
  override takeEffect(userId: string, callId: string, key: string): void {
    channel.tell({ effect: { callId, key } });
    super.takeEffect(userId, callId, key);
  }

  override acknowledge(_: string, event: Event): void {
    channel.tell({ acknowledged: event });
  }
}

const { close, service } = await openSessions(url);
const world = new ReportingWorld();
for (const key of JSON.parse(keys) as string[]) world.addEarlierEffect(key);
for (const event of (await service.getSession(ref))?.events ?? []) world.store(ref.userId, event);
const trip = new SimulatedProcess(systemRuntime());
const sessionService = trip.serviceOf(service, world);
const gate = async (point: string): Promise<void> => {
  await trip.gate(point);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
};
const runner = new classes.Runner({
  app: createTripApp(classes, world, gate, ref.appName),
  sessionService,
  runtime: trip.runtime,
});
channel.tell({ ready: true });
while (!(await driveTrip({ runner, sessionService, ref, retriesAtOnce: true })))
  await new Promise((resolve) => setTimeout(resolve, 5));
channel.tell({ done: true, violations: world.violations });
await runner.close();
await close();
process.exit(0);
