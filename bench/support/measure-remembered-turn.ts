import type { Plugin } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { AutoIngestPlugin } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { median } from './figures.ts';
import type { Figures } from './figures.ts';
import { question } from './history.ts';
import { inTurns } from './measure.ts';
import { freeModel, Ours } from './ours.ts';

/**
 * Measures the cost of a turn from the message to the last event while its events are added to memory, and the
 * processor time of adding them. The event loop turns after each turn, as with human users.
 */
export async function measureRememberedTurn(figures: Figures): Promise<void> {
  const [plain, remembering] = [new Ours(), new Ours()];
  const memory = new InMemoryMemoryService();
  const plugin = new AutoIngestPlugin({ sessions: remembering.service, memory });
  const agent = new LlmAgent({ name: 'root', model: freeModel() });
  const runnerOf = (ours: Ours, plugins: Plugin[]): Runner =>
    new Runner({ app: { name: 'app', rootAgent: agent, plugins }, sessionService: ours.service });
  const runners = [runnerOf(plain, []), runnerOf(remembering, [plugin])];
  const took: number[][] = [[], []];
  const adding: number[] = [];
  for (let sample = -60; sample < 150; sample++) {
    if (sample === 0) for (const list of [...took, adding]) list.length = 0;
    const sums = [0, 0];
    let ingestion = 0;
    // A separate session for each sample, so that no session gets unusually long.
    const sessionIds = [await plain.createSession(10), await remembering.createSession(10)];
    for (let i = 0; i < 40; i++) {
      await inTurns(
        i,
        runners.map((runner, side) => async () => {
          const begin = performance.now();
          for await (const event of runner.runAsync({
            userId: 'u',
            sessionId: sessionIds[side]!,
            newMessage: question,
          }))
            void event;
          sums[side]! += performance.now() - begin;
          ingestion -= side === 1 ? performance.now() : 0;
          await new Promise((resolve) => setImmediate(resolve));
          await plugin.flush();
          ingestion += side === 1 ? performance.now() : 0;
        }),
      );
    }
    sums.forEach((sum, side) => took[side]!.push((sum / 40) * 1000));
    adding.push((ingestion / 40) * 1000);
    await Promise.all(
      runners.map((runner, side) => runner.deleteSession({ userId: 'u', sessionId: sessionIds[side]! })),
    );
  }
  const [without, withMemory] = took as [number[], number[]];
  // Other work of the machine differs between samples, but hardly within a sample.
  const ratio = median(withMemory.map((each, i) => each / without[i]!));
  figures.add(
    'a turn while its events are added to memory',
    `${median(withMemory).toFixed(1)} µs`,
    `without ${median(without).toFixed(1)} µs`,
    ratio,
    1.1,
  );
  figures.compare('adding its events to memory', { samples: adding }, { samples: without, of: 'the turn' });
  await Promise.all(runners.map((runner) => runner.close()));
}
