// Measures turns in sessions of several lengths, from the session's second turn on. The model answers at once, and the
// prompt contains the complete history.
import { Adk } from './support/adk.ts';
import { Ai } from './support/ai.ts';
import type { AiMessage } from './support/ai.ts';
import { Figures } from './support/figures.ts';
import { answer, instruction, question, textAt } from './support/history.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { freeModel, Ours } from './support/ours.ts';

/**
 * A sample is the mean of `sessions` × `turns` turns. These are enough turns to keep the code of each engine compiled, and few enough
 * that the length of a session changes little. `ai` and `adk` are limits. `adkEvery`: @google/adk has a turn at every N-th sample.
 */
const sizes = [
  { events: 10, sessions: 120, turns: 2, ai: 0.6, adkEvery: 1 },
  { events: 100, sessions: 12, turns: 10, adkEvery: 1 },
  { events: 1_000, sessions: 4, turns: 40, ai: 0.1, adk: 1 / 200, adkEvery: 1 },
  { events: 5_000, sessions: 1, turns: 60, ai: 0.03, adk: 1 / 600, adkEvery: 6 },
];
const samples = 72;

const ours = new Ours();
const ai = await Ai.load();
const adk = await Adk.load();
const loop = freeModel();
const adkSessions = new Map<number, string>();
const noSamples = (): number[] => [];
const costs = sizes.map((size) => ({
  size,
  first: noSamples(),
  ours: noSamples(),
  ai: noSamples(),
  adk: noSamples(),
  loop: noSamples(),
}));

// Runs every path until it is compiled, then all paths again in the measured order. The results are dropped.
const warmUp = await ours.createSession(10);
for (let i = 0; i < 3_000; i++) await ours.runTurn(warmUp);
await ours.deleteSession(warmUp);
const warmUpMessages = ai.createSession(10);
for (let i = 0; i < 1_000; i++) await ai.runTurn(warmUpMessages);
for (let i = 0; i < 60; i++) await adk.deleteSession(await adkTurn(await adk.createSession(10)));
for (let sample = 1; sample < 6; sample++) for (const cost of costs) await sampleOf(cost, sample);
for (const cost of costs) for (const key of ['first', 'ours', 'ai', 'adk', 'loop'] as const) cost[key] = [];

for (let sample = 0; sample < samples; sample++) for (const cost of costs) await sampleOf(cost, sample);

const figures = new Figures();
const at = (events: number): string => `at ${events.toLocaleString('en')} events`;
const [shortest, longest] = [costs[0]!, costs.at(-1)!];
figures.compare('turn, 5,000 events against 10', { samples: longest.ours }, { samples: shortest.ours }, 2);
for (const { size, ...cost } of costs) {
  figures.compare(`turn ${at(size.events)}`, { samples: cost.ours }, { samples: cost.ai, of: 'ai' }, size.ai);
}
for (const { size, ...cost } of costs) {
  const note = cost.adk.length < 60 ? ` (${cost.adk.length} samples of adk)` : '';
  figures.compare(`turn ${at(size.events)}${note}`, { samples: cost.ours }, { samples: cost.adk, of: 'adk' }, size.adk);
}
for (const { size, ...cost } of costs) {
  figures.compare(`first turn ${at(size.events)}`, { samples: cost.first }, { samples: cost.ai, of: 'ai' }, 1.5);
}
figures.compare(`turn ${at(10)}`, { samples: shortest.ours }, { samples: shortest.loop, of: 'hand-written loop' });
figures.end();

/** Measures all engines at one session length in turns, so that other work of the machine affects each of them. */
async function sampleOf(cost: (typeof costs)[number], sample: number): Promise<void> {
  const { events, sessions, turns, adkEvery } = cost.size;
  const units = sessions * turns;
  const ids = await Promise.all(Array.from({ length: sessions }, () => ours.createSession(events)));
  const arrays = ids.map(() => ai.createSession(events));
  const histories = ids.map(() => contentsOf(events));
  const all = async <T>(list: T[], count: number, each: (session: T) => Promise<unknown>): Promise<void> => {
    for (let turn = 0; turn < count; turn++) for (const session of list) await each(session);
  };
  const oneOurs = (id: string): Promise<void> => ours.runTurn(id);
  const oneAi = (messages: AiMessage[]): Promise<void> => ai.runTurn(messages);
  await all(arrays, 1, oneAi); // The first turn of our sessions is measured below.
  clearNursery();
  cost.first.push(await cpuOf(sessions, () => all(ids, 1, oneOurs)));
  await inTurns(sample, [
    async () => void cost.ours.push(await cpuOf(units, () => all(ids, turns, oneOurs))),
    async () => void cost.ai.push(await cpuOf(units, () => all(arrays, turns, oneAi))),
    async () => void cost.loop.push(await cpuOf(units, () => all(histories, turns, runTurnByHand))),
  ]);
  for (const id of ids) await ours.deleteSession(id);
  if (sample % adkEvery !== 0) return;
  // A short ADK session is created for each sample. A long one is created once: its length is too small at first and too large at
  // the end, by the same number of events.
  const isShort = events <= 100;
  const kept = adkSessions.get(events);
  const id =
    kept ?? (await adkTurn(await adk.createSession(isShort ? events : events - Math.floor(samples / adkEvery))));
  if (!isShort) adkSessions.set(events, id);
  clearNursery();
  cost.adk.push(await cpuOf(1, () => adk.runTurn(id)));
  if (isShort) await adk.deleteSession(id);
}

async function adkTurn(id: string): Promise<string> {
  await adk.runTurn(id);
  return id;
}

interface Message {
  role: 'user' | 'model';
  parts: { text: string }[];
}

function contentsOf(length: number): Message[] {
  return Array.from({ length }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'model', parts: [{ text: textAt(i) }] }));
}

/** Runs a turn with a loop that calls the model directly. */
async function runTurnByHand(contents: Message[]): Promise<void> {
  contents.push({ role: 'user', parts: [{ text: question }] });
  const config = { systemInstruction: instruction };
  const signal = new AbortController().signal;
  const request = { model: 'free', contents: [...contents], config };
  for await (const { content } of loop.generateContentAsync(request, { stream: false, signal })) {
    contents.push({ role: 'model', parts: [{ text: content?.parts?.[0]?.text ?? answer }] });
  }
}
