// Measures the cost of a streamed chunk on its whole way, from the model to the reader of the run.
import { Adk } from './support/adk.ts';
import { Figures } from './support/figures.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { modelOf, Ours } from './support/ours.ts';

const [chunks, samples, hotLength] = [500, 60, 1_000];
const pieces = Array.from({ length: chunks }, (_, i) => `word${i} `);
const whole = { content: { role: 'model' as const, parts: [{ text: pieces.join('') }] }, finishReason: 'STOP' };
async function* streamed(): AsyncGenerator<{
  content: typeof whole.content;
  partial?: boolean;
  finishReason?: string;
}> {
  for (const text of pieces) yield { content: { role: 'model' as const, parts: [{ text }] }, partial: true };
  yield whole;
}

const ours = new Ours(modelOf(streamed));
const adk = await Adk.load(streamed);
const sse = { streamingMode: 'sse' as const };
const costs = { ours: [0], hot: [0], adk: [0], adkHot: [0] };
for (let sample = -15; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  const [fresh, theirs] = [await ours.session(0), await adk.session(0)];
  const hot = await ours.session(hotLength);
  await ours.turn(hot, sse);
  const theirHot = sample % 6 === 0 ? await adk.session(hotLength) : undefined;
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.ours.push(await cpuOf(chunks, () => ours.turn(fresh, sse))),
    async () => void costs.hot.push(await cpuOf(chunks, () => ours.turn(hot, sse))),
    async () => void costs.adk.push(await cpuOf(chunks, () => adk.turn(theirs, sse))),
    async () => {
      if (theirHot) costs.adkHot.push(await cpuOf(chunks, () => adk.turn(theirHot, sse)));
    },
  ]);
  for (const id of [fresh, hot]) await ours.forget(id);
  for (const id of [theirs, theirHot]) if (id) await adk.forget(id);
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
