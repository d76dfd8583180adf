// A process that runs ten turns in each of 1,000 sessions at once, and prints the memory in MB.
import { Adk, freeAnswers } from './adk.ts';
import { freeModel, Ours } from './ours.ts';

const host = process.argv[2] === 'adk' ? await Adk.load(freeAnswers(50)) : new Ours(freeModel(50));
const heap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
};
const warmUp = await host.createSession(0);
for (let i = 0; i < 3; i++) await host.runTurn(warmUp);
const before = heap();
const ids = await Promise.all(Array.from({ length: 1_000 }, () => host.createSession(0)));
await Promise.all(
  ids.map(async (id) => {
    for (let i = 0; i < 10; i++) await host.runTurn(id);
  }),
);
const growth = heap() - before;
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS / 1_024, heap: growth }));
