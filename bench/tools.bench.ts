// Measures eight tool calls of 100 ms in one turn, which run at the same time. Wall time, because waiting needs no CPU.
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { FunctionTool } from '@thole/tools';
import { Figures, median } from './support/figures.ts';
import { modelOf } from './support/ours.ts';

const [calls, callMs, limitMs, samples] = [8, 100, 150, 60];
const wait = new FunctionTool({
  name: 'wait',
  description: 'Waits.',
  execute: async () => {
    ran++;
    await new Promise((resolve) => setTimeout(resolve, callMs));
    return { waited: true };
  },
});
let ran = 0;
let step = 0;
const model = modelOf(async function* () {
  const parts = Array.from({ length: calls }, () => ({ functionCall: { name: 'wait', args: {} } }));
  yield { content: { role: 'model', parts: step++ % 2 === 0 ? parts : [{ text: 'Done.' }] }, finishReason: 'STOP' };
});
const agent = new LlmAgent({ name: 'root', model, tools: [wait] });
const sessionService = new InMemorySessionService();
const runner = new Runner({ appName: 'app', agent, sessionService });
await sessionService.createSession({ appName: 'app', userId: 'u', sessionId: 's' });

const took: number[] = [];
for (let sample = 0; sample < samples; sample++) {
  const begin = performance.now();
  for await (const event of runner.runAsync({ userId: 'u', sessionId: 's', newMessage: 'Go.' })) void event;
  took.push(performance.now() - begin);
}
if (ran !== calls * samples) throw new Error(`${ran} calls ran instead of ${calls * samples}.`);

const figures = new Figures();
const formatMs = (ms: number): string => `${ms.toFixed(0)} ms`;
const [middle, worst] = [median(took), Math.max(...took)];
const peer = `one after another ${formatMs(calls * callMs)}`;
figures.add(
  `8 tool calls of 100 ms in one turn`,
  formatMs(middle),
  peer,
  middle / (calls * callMs),
  limitMs / (calls * callMs),
);
figures.add(`the slowest of ${samples} such turns`, formatMs(worst), peer, worst / (calls * callMs));
figures.end();
