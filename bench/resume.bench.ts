// Measures the cost of durable runs: a turn without interrupts compared with a turn that cannot be resumed, and the first turn after
// a pause in a long session that the runner has not cached.
import type { SessionRef, Tool } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { Figures } from './support/figures.ts';
import { answer, instruction, question } from './support/history.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { eventAt, freeModel, modelOf } from './support/ours.ts';

// The difference is about one percent: fewer samples do not show it.
const samples = 1_600;
const turns = 150;
const resumeSamples = 40;
const length = 5_000;

const book: Tool = {
  name: 'book',
  description: 'Books a room.',
  requireConfirmation: true,
  declaration: () => ({ name: 'book', description: 'Books a room.', parametersJsonSchema: { type: 'object' } }),
  runAsync: async () => ({ booked: true }),
};
const service = new InMemorySessionService();
const figures = new Figures();
let count = 0;

const durable = runnerOf(true);
const plain = runnerOf(false);
const cost = { durable: [] as number[], plain: [] as number[], first: [] as number[], resume: [] as number[] };

for (let i = 0; i < 10; i++) await sampleOf(i);
for (const list of Object.values(cost)) list.length = 0;
for (let i = 0; i < samples; i++) await sampleOf(i);
for (let i = 0; i < 4; i++) await resumeSample(i);
for (const list of [cost.first, cost.resume]) list.length = 0;
for (let i = 0; i < resumeSamples; i++) await resumeSample(i);

figures.compare(
  'turn without interrupts',
  { samples: cost.durable },
  { samples: cost.plain, of: 'not resumable' },
  1.03,
);
figures.compare(
  'resume of a session of 5,000 events',
  { samples: cost.resume },
  { samples: cost.first, of: 'first turn' },
  1.5,
);
figures.end();

function runnerOf(isResumable: boolean): Runner {
  const rootAgent = new LlmAgent({ name: 'root', model: freeModel(), instruction });
  return new Runner({ app: { name: 'app', rootAgent, resumability: { isResumable } }, sessionService: service });
}

async function sampleOf(sample: number): Promise<void> {
  const sessions = [await sessionOf(10), await sessionOf(10)];
  for (const [i, runner] of [durable, plain].entries()) await turn(runner, sessions[i]!);
  clearNursery();
  const measures = [durable, plain].map((runner, i) => async () => {
    const time = await cpuOf(turns, async () => {
      for (let n = 0; n < turns; n++) await turn(runner, sessions[i]!);
    });
    cost[i === 0 ? 'durable' : 'plain'].push(time);
  });
  await inTurns(sample, measures);
  for (const [i, runner] of [durable, plain].entries()) await runner.deleteSession(sessions[i]!);
}

async function resumeSample(sample: number): Promise<void> {
  const [first, paused] = [await sessionOf(length), await sessionOf(length)];
  const answeringModel = modelOf(async function* () {
    yield { content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP' };
  });
  const callingModel = modelOf(async function* () {
    yield { content: { role: 'model', parts: [{ functionCall: { id: 'c', name: 'book', args: {} } }] } };
  });
  const newRunner = (llm: typeof answeringModel): Runner =>
    new Runner({
      app: { name: 'app', rootAgent: new LlmAgent({ name: 'root', model: llm, instruction, tools: [book] }) },
      sessionService: service,
    });
  const pausingRunner = newRunner(callingModel);
  const { interrupts } = await pausingRunner.runToCompletion({ ...paused, newMessage: question });
  await pausingRunner.close();
  const runners = [newRunner(answeringModel), newRunner(answeringModel)];
  clearNursery();
  await inTurns(sample, [
    async () => void cost.first.push(await cpuOf(1, () => turn(runners[0]!, first))),
    async () =>
      void cost.resume.push(
        await cpuOf(1, async () => {
          for await (const event of runners[1]!.resume({ ...paused, answers: { [interrupts[0]!.id]: true } }))
            void event;
        }),
      ),
  ]);
  for (const [i, ref] of [first, paused].entries()) await runners[i]!.deleteSession(ref);
}

async function turn(runner: Runner, { userId, sessionId }: SessionRef): Promise<void> {
  for await (const event of runner.runAsync({ userId, sessionId, newMessage: question })) void event;
}

/** Creates a session with N events. */
async function sessionOf(events: number): Promise<SessionRef> {
  const ref: SessionRef = { appName: 'app', userId: 'u', sessionId: `s${count++}` };
  await service.createSession(ref);
  for (let i = 0; i < events; i++) await service.appendEvent({ session: ref, event: eventAt(i) });
  return ref;
}
