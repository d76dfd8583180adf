import type { Session, SessionRef, SessionService } from '@thole/core';
import { FixedRuntime } from '../fixed-runtime.ts';
import { driveTrip } from './drive-trip.ts';
import type { RunnerClasses } from './simulated-runner.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { Fate } from './simulated-process.ts';
import { SimulatedWorld } from './simulated-world.ts';
import { createTripApp } from './trip-app.ts';
import { callsInDoubt, violationsOf } from './trip-outcome.ts';

/** The runner's classes and the session service of a simulation. */
export interface SimulationSetup {
  readonly classes: RunnerClasses;
  /** Creates an empty session service, in memory, on this clock. */
  readonly createSessionService: (runtime: FixedRuntime) => SessionService;
}

/** The result of a trip whose process died at one point. */
export interface CrashResult {
  /** The point, such as `appendEvent: ends`. */
  readonly point: string;
  /** Broken promises, as sentences. */
  readonly violations: readonly string[];
  /** Ids of calls whose outcome was unknown: the model received an error instead of a result. */
  readonly inDoubt: readonly string[];
}

const ref: SessionRef = { appName: 'trips', userId: 'ann', sessionId: 's' };
/** Longer than a lease. */
const RESTART_MS = 120_000;
const MAX_STARTS = 12;

/**
 * Runs one trip for each point at which a process can die: before and after each call of the store, and at each wait of models,
 * tools and steps. After each death another process continues the trip. With another `fate`, the process has this fate instead of
 * dying. Yields one result for each point.
 */
export async function* runCrashMatrix(
  setup: SimulationSetup,
  fate: Exclude<Fate, 'lives'> = 'dies',
): AsyncGenerator<CrashResult, void> {
  const expected = await runTrip(setup, () => 'lives');
  for (const [index, point] of expected.points.entries()) {
    const { session, world } = await runTrip(setup, (_, at) => (at === index ? fate : 'lives'));
    const violations = session ? violationsOf(session, expected.session!, world) : ['The trip did not end.'];
    yield { point, violations, inDoubt: session ? callsInDoubt(session.events) : [] };
  }
}

/** Runs one trip in one process without a crash and returns its session. */
export async function runTripWithoutCrash(setup: SimulationSetup): Promise<Session> {
  const { session } = await runTrip(setup, () => 'lives');
  return session!;
}

/** A trip that ran in one or more processes. */
export interface Trip {
  /** Undefined if the trip did not end. */
  session: Session | undefined;
  world: SimulatedWorld;
  points: string[];
}

/** Runs a trip to its end, in as many processes as it needs. Points are counted over all processes. */
async function runTrip(
  { classes, createSessionService }: SimulationSetup,
  fateAt: (point: string, index: number) => Fate,
): Promise<Trip> {
  const runtime = new FixedRuntime();
  const service = createSessionService(runtime);
  const world = new SimulatedWorld();
  const points: string[] = [];
  for (let start = 0; start < MAX_STARTS; start++) {
    const process = new SimulatedProcess(runtime, (point) => {
      const fate = fateAt(point, points.push(point) - 1);
      if (fate === 'stalls') world.hasStalled = true;
      return fate;
    });
    const sessionService = process.serviceOf(service, world);
    const app = createTripApp(classes, world, process.gate);
    const runner = new classes.Runner({ app, sessionService, runtime: process.runtime });
    process.close = () => runner.close();
    const isDone = await workUntilDead(runtime, process, () => driveTrip({ runner, sessionService, ref }));
    // A process that has paused wakes up and finds that its lease is lost.
    if (isDone) await runtime.advance(RESTART_MS);
    if (isDone) return { session: await service.getSession(ref), world, points };
    if (process.isDead) await runtime.advance(RESTART_MS);
    if (process.isStalled) await runtime.advance(RESTART_MS / 2);
  }
  return { session: undefined, world, points };
}

/**
 * Calls `work` up to eight times, until it returns true or the process dies or pauses. Moves the clock while it waits. Throws if a
 * call does not end.
 */
async function workUntilDead(
  runtime: FixedRuntime,
  process: SimulatedProcess,
  work: () => Promise<boolean>,
): Promise<boolean> {
  for (let i = 0; i < 8; i++) {
    let result: boolean | undefined;
    let failure: unknown;
    work().then(
      (value) => (result = value),
      (error: unknown) => (failure = error ?? new Error('failed')),
    );
    for (let tick = 0; result === undefined && !failure && !process.isDead && !process.isStalled; tick++) {
      if (tick === 400)
        throw new Error(`A process does not continue. Its last points: ${process.points.slice(-5).join(', ')}.`);
      await runtime.advance(tick < 3 ? 0 : 100);
    }
    if (process.isDead || process.isStalled) return false;
    if (failure) throw failure;
    if (result) return true;
  }
  return false;
}
