// Measures the cost of a streamed chunk from the model to the reader of the run.
import { Adk } from './support/adk.ts';
import { Figures } from './support/figures.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { modelOf, Ours } from './support/ours.ts';

const [chunks, samples, hotLength] = [500, 60, 1_000];
const pieces = Array.from({ length: chunks }, (_, i) => `word${i} `);
const complete = { content: { role: 'model' as const, parts: [{ text: pieces.join('') }] }, finishReason: 'STOP' };
async function* streamAnswer(): AsyncGenerator<{
  content: typeof complete.content;
  partial?: boolean;
  finishReason?: string;
}> {
  for (const text of pieces) yield { content: { role: 'model' as const, parts: [{ text }] }, partial: true };
  yield complete;
}

const ours = new Ours(modelOf(streamAnswer));
const adk = await Adk.load(streamAnswer);
const sse = { streamingMode: 'sse' as const };
const costs = { ours: [0], hot: [0], adk: [0], adkHot: [0] };
for (let sample = -15; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  const [fresh, adkFresh] = [await ours.createSession(0), await adk.createSession(0)];
  const hot = await ours.createSession(hotLength);
  await ours.runTurn(hot, sse);
  const adkHot = sample % 6 === 0 ? await adk.createSession(hotLength) : undefined;
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.ours.push(await cpuOf(chunks, () => ours.runTurn(fresh, sse))),
    async () => void costs.hot.push(await cpuOf(chunks, () => ours.runTurn(hot, sse))),
    async () => void costs.adk.push(await cpuOf(chunks, () => adk.runTurn(adkFresh, sse))),
    async () => {
      if (adkHot) costs.adkHot.push(await cpuOf(chunks, () => adk.runTurn(adkHot, sse)));
    },
  ]);
  for (const id of [fresh, hot]) await ours.deleteSession(id);
  for (const id of [adkFresh, adkHot]) if (id) await adk.deleteSession(id);
}

const figures = new Figures();
figures.compare('streamed chunk, fresh session', { samples: costs.ours }, { samples: costs.adk, of: 'adk' }, 0.5);
figures.compare(
  `streamed chunk, session of 1,000 events (${costs.adkHot.length} samples of adk)`,
  { samples: costs.hot },
  { samples: costs.adkHot, of: 'adk' },
);
figures.compare(
  'streamed chunk, cached session of 1,000 events',
  { samples: costs.hot },
  { samples: costs.ours, of: 'fresh session' },
  1.3,
);
figures.end();
