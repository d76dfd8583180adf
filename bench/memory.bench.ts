// Memory: how fast a user's turns are found, taken in and loaded again, and, over THOLE_RECALL_DATA, how well. Made-up talk, the
// same questions for everyone, as sentences and as bare words; wall time where things are waited for, CPU where they are not.
import { setTimeout as wait } from 'node:timers/promises';
import type { MemoryService, Session } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { Figures, median } from './support/figures.ts';
import { fillMemory } from './support/fill-memory.ts';
import { GeneratedTalk } from './support/generated-talk.ts';
import { measureColdStart } from './support/measure-cold-start.ts';
import { measureRecall } from './support/measure-recall.ts';
import { measureRememberedTurn } from './support/measure-remembered-turn.ts';
import { cpuOf, inTurns } from './support/measure.ts';
import { AdkMemory, Fts5, MiniSearch } from './support/memory-peers.ts';
import type { Peer } from './support/memory-peers.ts';

const user = { appName: 'app', userId: 'u' };
const figures = new Figures();
const [miniSearch, adk] = [await MiniSearch.load(), await AdkMemory.load()];
const ms = (value: number): string => `${value.toPrecision(3)} ms`;

await warmUp();
await comparedWithPeers(10_000, { questions: 200, samples: 5 }, { fts5: 1 / 3, spread: 8, ingest: 1.5, bytes: 2500 });
await comparedWithPeers(
  100_000,
  { questions: 60, samples: 1 },
  { fts5: 1 / 10, miniSearch: 1 / 50, ingest: 1.5, bytes: 2500 },
);
await measureColdStart(figures);
await measureRememberedTurn(figures);
await measureRecall(figures, { minisearch: miniSearch, FTS5: () => new Fts5(), adk });
figures.end();

interface Limits {
  fts5?: number;
  miniSearch?: number;
  ingest?: number;
  bytes?: number;
  spread?: number;
}

/** Code that was never run is slow, whoever wrote it. */
async function warmUp(): Promise<void> {
  const talk = new GeneratedTalk(3);
  const sessions = talk.sessions(5000, user.appName, user.userId);
  const asked = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? talk.question() : talk.keywords()));
  const ours = new InMemoryMemoryService();
  await fillMemory(ours, sessions);
  for (const query of asked) await ours.searchMemory({ ...user, query });
  for (const peer of [new Fts5(), miniSearch(), adk()]) {
    await peer.add(textsOf(sessions));
    for (const query of asked) await peer.search(query, 10);
    peer.close();
  }
}

/** Searches and ingestion of one user's turns, beside peers on the same texts. */
async function comparedWithPeers(
  turns: number,
  { questions, samples }: { questions: number; samples: number },
  limits: Limits,
): Promise<void> {
  const talk = new GeneratedTalk(7);
  const sessions = talk.sessions(turns, user.appName, user.userId);
  const texts = textsOf(sessions);
  const asked = Array.from({ length: questions }, () => talk.question());
  const words = Array.from({ length: questions }, () => talk.keywords());
  const at = `${turns.toLocaleString('en')} turns`;

  const ingests: { [name: string]: number[] } = { ours: [] };
  let peers: Peer[] = [];
  let ours = new InMemoryMemoryService();
  const fill = async (): Promise<void> => {
    ours = new InMemoryMemoryService();
    await fillMemory(ours, sessions);
    await ours.searchMemory({ ...user, query: asked[0]! });
  };
  for (let sample = 0; sample < samples; sample++) {
    for (const peer of peers) peer.close();
    peers = [new Fts5(), miniSearch(), adk()];
    for (const peer of peers) (ingests[peer.name] ??= []).push(await cpuOf(turns, async () => peer.add(texts)));
    ingests['ours']!.push(await cpuOf(turns, fill));
  }

  const { fts5, miniSearch: mini, spread } = limits;
  const sought = { ours, peers };
  await searched(`search, ${at}`, sought, { queries: asked, rounds: 4 }, { FTS5: fts5, minisearch: mini, spread });
  // What takes less is more at the mercy of what else the machine does.
  await searched(`search by bare words, ${at}`, sought, { queries: words, rounds: 8 }, { FTS5: fts5, spread });

  ours = new InMemoryMemoryService();
  // Last: whole collections let go of compiled code, too.
  const before = await heldBytes();
  await fill();
  const bytes = ((await heldBytes()) - before) / turns;
  const { ours: ingest, ...theirs } = Object.fromEntries(
    Object.entries(ingests).map(([name, each]) => [name, median(each)]),
  );
  const told = Object.entries(theirs).map(([name, each]) => `${name} ${each.toFixed(1)} µs`);
  const ratio = ingest! / theirs['minisearch']!;
  figures.add(`ingest of a turn, ${at}`, `${ingest!.toFixed(1)} µs`, told.join(', '), ratio, limits.ingest);
  const limit = limits.bytes === undefined ? undefined : limits.bytes / 2500;
  figures.add(
    `memory of a turn, ${at}, text included`,
    `${bytes.toFixed(0)} bytes`,
    '2,500 bytes',
    bytes / 2500,
    limit,
  );
  for (const peer of peers) peer.close();
}

/** Each query several times: the best of them is what it costs, the others what else the machine did. */
async function searched(
  figure: string,
  { ours, peers }: { ours: MemoryService; peers: readonly Peer[] },
  { queries, rounds }: { queries: readonly string[]; rounds: number },
  limits: { [name: string]: number | undefined },
): Promise<void> {
  const took: { [name: string]: number[] } = {};
  const timed = async (name: string, i: number, work: () => unknown): Promise<void> => {
    const begin = performance.now();
    await work();
    (took[name] ??= [])[i] = Math.min(took[name][i] ?? Infinity, performance.now() - begin);
  };
  for (let round = 0; round < rounds; round++) {
    for (const [i, query] of queries.entries()) {
      await inTurns(i, [
        () => timed('ours', i, () => ours.searchMemory({ ...user, query, limit: 10 })),
        ...peers.map((peer) => async () => {
          // It reads all texts each time.
          const isRare = peer.name === 'adk' && !(round === 0 && i % 10 === 0);
          if (!isRare) await timed(peer.name, i, () => peer.search(query, 10));
        }),
      ]);
    }
  }
  const p50 = median(took['ours']!);
  for (const { name } of peers) {
    const theirs = median(took[name]!.filter((each) => each !== undefined));
    figures.add(`${figure}, p50`, ms(p50), `${name} ${ms(theirs)}`, p50 / theirs, limits[name]);
  }
  const p99 = took['ours']!.toSorted((a, b) => a - b)[Math.floor(queries.length * 0.99)]!;
  figures.add(`${figure}, p99 against p50`, ms(p99), `p50 ${ms(p50)}`, p99 / p50, limits['spread']);
}

function textsOf(sessions: readonly Session[]): string[] {
  return sessions.flatMap(({ events }) => events.map(({ content }) => content!.parts![0]!.text!));
}

async function heldBytes(): Promise<number> {
  // What ended a moment ago is let go by one collection, and what it held by the next.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await wait(1);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
