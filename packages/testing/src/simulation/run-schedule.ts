import type { App, SessionRef, SessionService } from '@thole/core';
import { FixedRuntime } from '../fixed-runtime.ts';
import type { SimulationSetup } from './crash-matrix.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { Fate } from './simulated-process.ts';
import type { SimulatedRunner } from './simulated-runner.ts';
import { SimulatedWorld } from './simulated-world.ts';
import type { Gate } from './trip-app.ts';

export type Random = () => number;

/** The app of a schedule, and the work of its processes. */
export interface ScheduledWork {
  readonly appName: string;
  /** Number of points among which a process dies, closes or pauses. */
  readonly lifetime: number;
  readonly concurrency?: { policy: 'join' } | undefined;
  readonly createApp: (p: ScheduledProcess) => App;
  /** Works on one session. Returns true if its work has ended, false if another call is needed. */
  readonly drive: (p: ScheduledProcess & DrivenSession) => Promise<boolean>;
}

/** The parts of a process that its app and its work use. */
export interface ScheduledProcess {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly gate: Gate;
  /** Waits by the clock of the process. */
  readonly sleep: (ms: number) => Promise<void>;
}

interface DrivenSession {
  readonly runner: SimulatedRunner;
  readonly sessionService: SessionService;
  readonly ref: SessionRef;
}

/** The result of a schedule. */
export interface ScheduleResult {
  readonly service: SessionService;
  readonly world: SimulatedWorld;
  readonly refs: readonly SessionRef[];
  /** Number of processes that ran. */
  readonly processes: number;
  /** Number of processes that died or were closed. */
  readonly crashes: number;
  /** True if the work on all sessions has ended. */
  readonly isDone: boolean;
}

const MAX_ROUNDS = 6;
const MAX_TICKS = 2_000;
/** Maximum number of times that a process works on all sessions. */
const MAX_LOOPS = 12;

/**
 * Runs a schedule of several sessions in processes that die, end, pause and lose answers of the store at random points. Up to two
 * processes run at the same time. The last process has no failures. The seed determines the schedule.
 */
export async function runSchedule(setup: SimulationSetup, work: ScheduledWork, seed: number): Promise<ScheduleResult> {
  const choices = new FixedRuntime({ seed: seed * 7_919 + 1 });
  const random = (): number => choices.random();
  const runtime = new FixedRuntime({ seed });
  const service = setup.createSessionService(runtime);
  const world = new SimulatedWorld();
  const refs = ['ann', 'bob', 'cy']
    .slice(0, 1 + Math.floor(random() * 3))
    .map((userId) => ({ appName: work.appName, userId, sessionId: `${userId}-1` }));
  const simulation = { ...setup, work, runtime, service, world, refs, random };
  let processes = 0;
  let crashes = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const started = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
      startProcess(simulation, fatesOf(random, work.lifetime)),
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
  return { service, world, refs, processes: processes + 1, crashes, isDone: last.isDone };
}

interface Simulation extends SimulationSetup {
  readonly work: ScheduledWork;
  readonly runtime: FixedRuntime;
  readonly service: SessionService;
  readonly world: SimulatedWorld;
  readonly refs: readonly SessionRef[];
  readonly random: Random;
}

interface StartedProcess {
  readonly process: SimulatedProcess;
  /** True if the work on all sessions has ended. */
  isDone: boolean;
  /** True if the process does no more work. */
  isOver: boolean;
}

function startProcess(
  { classes, random, refs, runtime, service, work, world }: Simulation,
  fateAt: (point: string, index: number) => Fate,
): StartedProcess {
  const process = new SimulatedProcess(runtime, (point, index) => {
    const fate = fateAt(point, index);
    if (fate === 'stalls') world.hasStalled = true;
    return fate;
  });
  const sessionService = process.serviceOf(service, world);
  const scheduled = { world, random, gate: process.gate, sleep: (ms: number) => process.runtime.sleep(ms) };
  const { concurrency } = work;
  const runner = new classes.Runner({
    app: work.createApp(scheduled),
    sessionService,
    runtime: process.runtime,
    ...(concurrency && { concurrency }),
  });
  process.close = () => runner.close();
  const started: StartedProcess = { process, isDone: false, isOver: false };
  const loop = async (): Promise<void> => {
    for (let i = 0; i < MAX_LOOPS && !process.isDead && !started.isDone; i++) {
      const ended = await Promise.all(refs.map((ref) => work.drive({ ...scheduled, runner, sessionService, ref })));
      started.isDone = ended.every(Boolean);
    }
  };
  // A process ends if its store fails.
  loop()
    .catch(() => {})
    .finally(() => (started.isOver = true));
  return started;
}

/** Moves the clock until each process has died or has no more work. */
async function runProcesses({ random, runtime }: Simulation, started: readonly StartedProcess[]): Promise<void> {
  for (let tick = 0; tick < MAX_TICKS; tick++) {
    if (started.every(({ process, isOver }) => process.isDead || isOver)) return;
    const choice = random();
    await runtime.advance(choice < 0.6 ? 0 : choice < 0.95 ? 100 : 5_000);
  }
}

/** Chooses the failures of one process. */
function fatesOf(random: Random, lifetime: number): (point: string, index: number) => Fate {
  const end = Math.floor(random() * lifetime);
  const kind: Fate = random() < 0.6 ? 'dies' : random() < 0.5 ? 'closes' : 'stalls';
  const failures = random() < 0.5 ? 0.02 : 0;
  return (_, index) => {
    if (index === end) return kind;
    return failures > 0 && random() < failures ? 'fails' : 'lives';
  };
}
