// Runs 1,000 sessions at once on a model that takes 50 ms. Measures turns per second, CPU per turn, and memory.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Ai } from './support/ai.ts';
import type { AiMessage } from './support/ai.ts';
import { Adk } from './support/adk.ts';
import { build } from './support/build.ts';
import { Figures, median } from './support/figures.ts';
import type { Cost } from './support/figures.ts';
import { clearNursery, cpuTime, inTurns } from './support/measure.ts';
import { freeModel, Ours } from './support/ours.ts';

const [sessions, turns, length, latencyMs, samples] = [1_000, 6, 10, 50, 60];
const ours = new Ours(freeModel(latencyMs));
const ai = await Ai.load(latencyMs);
const costs = { ours: { wall: [0], cpu: [0] }, ai: { wall: [0], cpu: [0] } };

let ids: string[] = [];
let arrays: AiMessage[][] = [];
for (let sample = -4; sample < samples; sample++) {
  if (sample === 0) for (const { wall, cpu } of Object.values(costs)) wall.length = cpu.length = 0;
  if (sample % 2 === 0) await replaceSessions();
  clearNursery();
  await inTurns(Math.abs(sample), [
    () => runAtOnce(costs.ours, ids, (id) => ours.runTurn(id)),
    () => runAtOnce(costs.ai, arrays, (messages) => ai.runTurn(messages)),
  ]);
}

const figures = new Figures();
const perSecond = (wall: number[]): number => (sessions * turns * 1_000) / median(wall);
const speed = (wall: number[]): string => `${Math.round(perSecond(wall)).toLocaleString('en')} turns/s`;
// The ratio compares times, so that less is better in every row: 0.5 is twice the throughput.
const ratio = median(costs.ours.wall) / median(costs.ai.wall);
figures.add(
  '1,000 sessions at once, model of 50 ms: wall time',
  speed(costs.ours.wall),
  `ai ${speed(costs.ai.wall)}`,
  ratio,
  0.5,
);
figures.compare(
  '1,000 sessions at once: CPU of a turn',
  { samples: costs.ours.cpu },
  { samples: costs.ai.cpu, of: 'ai' },
  0.6,
);

build();
await Adk.fetchEntry();
const memories = { ours: memoryOf('ours'), adk: memoryOf('adk') };
const memory = (key: 'peak' | 'heap'): [Cost, Cost] => [
  { samples: memories.ours.map((each) => each[key]), unit: 'MB' },
  { samples: memories.adk.map((each) => each[key]), unit: 'MB', of: 'adk' },
];
figures.compare('1,000 sessions of 10 turns at once: peak memory of the process (3 processes)', ...memory('peak'), 0.8);
figures.compare(
  '1,000 sessions of 10 turns held: live heap, without what imports take (3 processes)',
  ...memory('heap'),
);
figures.end();

/** Creates sessions with one earlier turn each. They are used for two samples and end with 36 events. */
async function replaceSessions(): Promise<void> {
  for (const id of ids) await ours.deleteSession(id);
  ids = await Promise.all(Array.from({ length: sessions }, () => ours.createSession(length)));
  arrays = ids.map(() => ai.createSession(length));
  await Promise.all([...ids.map((id) => ours.runTurn(id)), ...arrays.map((messages) => ai.runTurn(messages))]);
}

/** Runs all sessions at once. The turns of each session run one after another. */
async function runAtOnce<T>(
  cost: { wall: number[]; cpu: number[] },
  all: T[],
  turn: (session: T) => Promise<void>,
): Promise<void> {
  const [begin, cpu] = [performance.now(), cpuTime()];
  await Promise.all(
    all.map(async (session) => {
      for (let i = 0; i < turns; i++) await turn(session);
    }),
  );
  cost.wall.push(performance.now() - begin);
  cost.cpu.push((cpuTime() - cpu) / (sessions * turns));
}

function memoryOf(who: string): { peak: number; heap: number }[] {
  // Without the source condition, the process uses the built packages: stripping types needs memory.
  const flags = ['--expose-gc', join(import.meta.dirname, 'support/hold-sessions.ts'), who];
  return Array.from(
    { length: 3 },
    () => JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as { peak: number; heap: number },
  );
}
