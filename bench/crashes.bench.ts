// Kills the process of a run at each possible point, and continues the run in another process. Compares Thole, `@google/adk` and
// LangGraph, with one agent, four calls and an approval. `-- --write-page` writes the table to docs/benchmarks.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentTool, LlmAgent, LoopAgent, ParallelAgent, Runner, SequentialAgent } from '@thole/runner';
import { InMemorySessionService } from '@thole/mem-services';
import type { FixedRuntime } from '@thole/testing';
import { runCrashMatrix } from '@thole/testing/simulation';
import { replaceBetween } from '../scripts/readme-figures.mjs';
import { adkTrips } from './support/crash-trip-adk.ts';
import { langGraphTrips } from './support/crash-trip-langgraph.ts';
import { ourTrip } from './support/crash-trip-ours.ts';
import { crashAtEachPoint } from './support/crash-trips.ts';
import type { CrashTotals } from './support/crash-trips.ts';

const classes = { AgentTool, LlmAgent, LoopAgent, ParallelAgent, Runner, SequentialAgent };
const rows: [string, CrashTotals][] = [
  ['Thole', await crashAtEachPoint(ourTrip)],
  ['`@google/adk` 2.0.0, message sent again', await crashAtEachPoint(await adkTrips())],
  ['LangGraph 1.0.2, `durability: sync`', await crashAtEachPoint(await langGraphTrips())],
];
const lines = [
  '| | points | same result | reported as unknown | an effect twice | an effect never | a result lost | not ended | model calls of a trip |',
  '|---|---|---|---|---|---|---|---|---|',
  ...rows.map(
    ([name, { points, same, unknown, twice, never, lost, unfinished, modelCalls }]) =>
      `| ${[name, points, same, unknown, twice, never, lost, unfinished, modelCalls.toFixed(2)].join(' | ')} |`,
  ),
];
console.log(lines.join('\n'));

let points = 0;
let broken = 0;
let unknown = 0;
const createSessionService = (runtime: FixedRuntime): InMemorySessionService => new InMemorySessionService({ runtime });
for await (const { inDoubt, violations } of runCrashMatrix({ classes, createSessionService })) {
  points++;
  broken += Number(violations.length > 0);
  unknown += Number(inDoubt.length > 0);
}
lines.push(
  '',
  `Thole with all kinds of agents and tools (\`runCrashMatrix\` of \`@thole/testing/simulation\`): ${points} points, ${broken} broken`,
  `promises, ${unknown} runs whose model learned that the outcome of a call is unknown.`,
);
console.log(lines.slice(-3).join('\n'));
const [, ours] = rows[0]!;
if (ours.same + ours.unknown !== ours.points || ours.twice > 0 || broken > 0) process.exitCode = 1;
if (process.argv.includes('--write-page')) {
  const page = join(import.meta.dirname, '..', 'docs', 'benchmarks.md');
  writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), 'crashes', lines.join('\n')));
}
