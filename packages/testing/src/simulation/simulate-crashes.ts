import { runTripWithoutCrash } from './crash-matrix.ts';
import type { SimulationSetup } from './crash-matrix.ts';
import { driveTrip } from './drive-trip.ts';
import { runSchedule } from './run-schedule.ts';
import { createTripApp } from './trip-app.ts';
import { callsInDoubt, violationsOf } from './trip-outcome.ts';

/** The result of one simulated schedule. */
export interface SimulationResult {
  readonly seed: number;
  /** Number of processes that ran. */
  readonly processes: number;
  /** Number of processes that died or were closed. */
  readonly crashes: number;
  /** Number of calls whose outcome was unknown: a model received an error instead of a result. */
  readonly inDoubt: number;
  /** Broken promises, as sentences. */
  readonly violations: readonly string[];
}

/**
 * Runs a schedule of several sessions in processes that die, end, pause and lose answers of the store at random points. Up to two
 * processes run at the same time. The last process has no failures. The seed determines the schedule.
 */
export async function simulateCrashes(setup: SimulationSetup, seed: number): Promise<SimulationResult> {
  const { classes } = setup;
  const expected = await runTripWithoutCrash(setup);
  const work = {
    appName: 'trips',
    lifetime: 250,
    createApp: ({ world, gate }) => createTripApp(classes, world, gate),
    drive: driveTrip,
  } satisfies Parameters<typeof runSchedule>[1];
  const { crashes, isDone, processes, refs, service, world } = await runSchedule(setup, work, seed);
  const violations: string[] = isDone ? [] : ['The trips did not end.'];
  let inDoubt = 0;
  for (const ref of refs) {
    const session = await service.getSession(ref);
    if (!session) continue;
    violations.push(...violationsOf(session, expected, world));
    inDoubt += callsInDoubt(session.events).length;
  }
  return { seed, processes, crashes, inDoubt, violations };
}
