import type { SessionRef, SessionService } from '@thole/core';
import { FixedRuntime } from '../fixed-runtime.ts';
import { runTrip } from './crash-matrix.ts';
import type { SimulationSetup } from './crash-matrix.ts';
import { driveTrip } from './drive-trip.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { Fate } from './simulated-process.ts';
import { SimulatedWorld } from './simulated-world.ts';
import { createTripApp } from './trip-app.ts';
import { callsInDoubt, violationsOf } from './trip-outcome.ts';

/** The result of one simulated schedule. */
export interface SimulationResult {
  readonly seed: number;
  /** Number of processes that ran. */
  readonly processes: number;
  /** Number of processes that died, were closed or paused for longer than their leases. */
  readonly crashes: number;
  /** Number of calls whose outcome models were told to be unknown. */
  readonly inDoubt: number;
  /** Promises that were broken. Empty if none was. */
  readonly violations: readonly string[];
}

type Random = () => number;

const MAX_ROUNDS = 6;
const MAX_TICKS = 2_000;
/** Number of times that a process looks for work before it ends. */
const MAX_LOOPS = 12;

/**
 * Runs a schedule of several sessions in processes that die, end, pause and lose answers of the store at random points; up to two
 * of them at the same time. The last process has no failures. The seed determines the schedule.
 */
export async function simulateCrashes(setup: SimulationSetup, seed: number): Promise<SimulationResult> {
  const expected = await runTrip(setup, () => 'lives');
  const { random } = randomOf(seed);
  const runtime = new FixedRuntime({ seed });
  const service = setup.createSessionService(runtime);
  const world = new SimulatedWorld();
  const refs = ['ann', 'bob', 'cy'].slice(0, 1 + Math.floor(random() * 3)).map(refOf);
  const simulation = { ...setup, runtime, service, world, refs, random };
  let processes = 0;
  let crashes = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const started = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
      startProcess(simulation, fatesOf(random)),
    );
    processes += started.length;
    await runProcesses(simulation, started);
    crashes += started.filter(({ process }) => process.isDead).length;
    for (const { process } of started) process.die();
    await runtime.advance(random() < 0.3 ? 1_000 : 200_000 + random() * 1_000_000);
  }
  await runtime.advance(1_000_000);
  const last = startProcess(simulation, () => 'lives');
  await runProcesses(simulation, [last]);
  const violations: string[] = last.isDone ? [] : ['The trips did not end.'];
  let inDoubt = 0;
  for (const ref of refs) {
    const session = await service.getSession(ref);
    if (!session) continue;
    violations.push(...violationsOf(session, expected.session!, world));
    inDoubt += callsInDoubt(session.events).length;
  }
  return { seed, processes: processes + 1, crashes, inDoubt, violations };
}

interface Simulation extends SimulationSetup {
  readonly runtime: FixedRuntime;
  readonly service: SessionService;
  readonly world: SimulatedWorld;
  readonly refs: readonly SessionRef[];
  readonly random: Random;
}

interface Started {
  readonly process: SimulatedProcess;
  /** True if all trips have ended. */
  isDone: boolean;
  /** True if the process has stopped looking for work. */
  isOver: boolean;
}

function startProcess(
  { classes, refs, runtime, service, world }: Simulation,
  fateAt: (point: string, index: number) => Fate,
): Started {
  const process = new SimulatedProcess(runtime, (point, index) => {
    const fate = fateAt(point, index);
    if (fate === 'stalls') world.hasStalled = true;
    return fate;
  });
  const sessionService = process.serviceOf(service, world);
  const runner = new classes.Runner({
    app: createTripApp(classes, world, process.gate),
    sessionService,
    runtime: process.runtime,
  });
  process.close = () => runner.close();
  const started: Started = { process, isDone: false, isOver: false };
  const work = async (): Promise<void> => {
    for (let i = 0; i < MAX_LOOPS && !process.isDead && !started.isDone; i++) {
      const ended = await Promise.all(refs.map((ref) => driveTrip({ runner, sessionService, ref })));
      started.isDone = ended.every(Boolean);
    }
  };
  // A process whose store fails ends.
  work()
    .catch(() => {})
    .finally(() => (started.isOver = true));
  return started;
}

/** Moves the clock until each process has died or has no more work. */
async function runProcesses({ random, runtime }: Simulation, started: readonly Started[]): Promise<void> {
  for (let tick = 0; tick < MAX_TICKS; tick++) {
    if (started.every(({ process, isOver }) => process.isDead || isOver)) return;
    const choice = random();
    await runtime.advance(choice < 0.6 ? 0 : choice < 0.95 ? 100 : 5_000);
  }
}

/** Chooses the failures of one process. */
function fatesOf(random: Random): (point: string, index: number) => Fate {
  const end = Math.floor(random() * 250);
  const kind: Fate = random() < 0.6 ? 'dies' : random() < 0.5 ? 'closes' : 'stalls';
  const failures = random() < 0.5 ? 0.02 : 0;
  return (_, index) => {
    if (index === end) return kind;
    return failures > 0 && random() < failures ? 'fails' : 'lives';
  };
}

function refOf(userId: string): SessionRef {
  return { appName: 'trips', userId, sessionId: `${userId}-1` };
}

function randomOf(seed: number): { random: Random } {
  const source = new FixedRuntime({ seed: seed * 7_919 + 1 });
  return { random: () => source.random() };
}
