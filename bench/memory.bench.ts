// Measures the speed of searching, ingesting and loading a user's turns. All engines get the same generated texts and
// the same queries, as questions and as bare words. Wall time for searches, CPU time for ingestion. recall.bench.ts
// measures the quality.
import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { Figures, median } from './support/figures.ts';
import { fillMemory } from './support/fill-memory.ts';
import { GeneratedTalk } from './support/generated-talk.ts';
import { measureColdStart } from './support/measure-cold-start.ts';
import { measureRememberedTurn } from './support/measure-remembered-turn.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { openBackend } from './support/memory-backends.ts';
import type { BackendName, MemoryBackend } from './support/memory-backends.ts';
import { AdkMemory, Fts5, MiniSearch } from './support/memory-peers.ts';
import type { Peer } from './support/memory-peers.ts';

const user = { appName: 'app', userId: 'u' };
const figures = new Figures();
const [miniSearch, adk] = [await MiniSearch.load(), await AdkMemory.load()];
const ms = (value: number): string => `${value.toPrecision(3)} ms`;

const MAX_BYTES = 2500;
const MAX_INGEST = 1.5;
const MAX_SPREAD = 10;
/** Redis waits for the network at each search, so its figures are printed without a limit. */
const LIMITED: readonly BackendName[] = ['memory', 'SQLite'];

await warmUp();
await measureTurns(10_000, { queries: 200, samples: 15, p50: 0.5, questions: 1 / 10 });
await measureTurns(100_000, { queries: 60, samples: 3, p50: 2, questions: 1 / 10, words: 1 / 3 });
await measureLongMessages();
await measureColdStart(figures);
await measureRememberedTurn(figures);
figures.end();

/** Runs the code that is measured once, so that it is compiled. */
async function warmUp(): Promise<void> {
  const talk = new GeneratedTalk(3);
  const sessions = talk.sessions(5000, user.appName, user.userId);
  const queries = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? talk.question() : talk.keywords()));
  const ours = new InMemoryMemoryService();
  await fillMemory(ours, sessions);
  for (const query of queries) await ours.searchMemory({ ...user, query });
  for (const peer of [new Fts5(), miniSearch(), adk()]) {
    await peer.add(textsOf(sessions));
    for (const query of queries) await peer.search(query, 10);
    peer.close();
  }
}

interface MeasuredTurns {
  queries: number;
  /** Number of measurements of ingestion. */
  samples: number;
  /** Limit of the median time of a search, in milliseconds. */
  p50: number;
  /** Limits of a search for questions, and for bare words, as a fraction of FTS5. */
  questions?: number;
  words?: number;
}

/** Measures searches and ingestion of one user's turns, and of other engines on the same texts. */
async function measureTurns(turns: number, p: MeasuredTurns): Promise<void> {
  const talk = new GeneratedTalk(7);
  const sessions = talk.sessions(turns, user.appName, user.userId);
  const texts = textsOf(sessions);
  const questions = Array.from({ length: p.queries }, () => talk.question());
  const words = Array.from({ length: p.queries }, () => talk.keywords());
  const at = `${turns.toLocaleString('en')} turns`;

  const ingests: { [name: string]: number[] } = {};
  let peers: Peer[] = [];
  const fill = async (): Promise<InMemoryMemoryService> => {
    const memory = new InMemoryMemoryService();
    await fillMemory(memory, sessions);
    await memory.searchMemory({ ...user, query: questions[0]! });
    return memory;
  };
  for (let sample = 0; sample < p.samples; sample++) {
    for (const peer of peers) peer.close();
    peers = [new Fts5(), miniSearch(), adk()];
    const adds: [string, () => Promise<unknown>][] = peers.map((peer) => [peer.name, async () => peer.add(texts)]);
    for (const [name, add] of [...adds, ['ours', fill] as const]) {
      // The garbage of the previous engine must not be part of this measurement.
      clearNursery();
      (ingests[name] ??= []).push(await cpuOf(turns, add));
    }
  }
  const { ours: ingest, ...theirs } = Object.fromEntries(
    Object.entries(ingests).map(([name, each]) => [name, median(each)]),
  );
  const peerIngests = Object.entries(theirs).map(([name, each]) => `${name} ${each.toFixed(1)} µs`);
  const ratio = ingest! / theirs['minisearch']!;
  figures.add(
    `ingest of a turn with the first search, ${at}`,
    `${ingest!.toFixed(1)} µs`,
    peerIngests.join(', '),
    ratio,
    MAX_INGEST,
  );

  const backends = await openFilled(['memory', 'SQLite', 'Redis'], sessions);
  const engines = { backends, peers };
  await measureSearches(`search, ${at}`, engines, { queries: questions, rounds: 4 }, { p50: p.p50, fts5: p.questions });
  // Other work of the machine affects short searches more, so they have more rounds.
  await measureSearches(
    `search by bare words, ${at}`,
    engines,
    { queries: words, rounds: 8 },
    { p50: p.p50, fts5: p.words },
  );
  for (const each of [...backends, ...peers]) await each.close();

  // This measurement is last, because full collections drop compiled code too.
  const before = await usedBytes();
  const memory = await fill();
  const bytes = ((await usedBytes()) - before) / turns;
  await memory.searchMemory({ ...user, query: questions[0]! });
  figures.add(
    `memory of a turn, ${at}, text included`,
    `${bytes.toFixed(0)} bytes`,
    '2,500 bytes',
    bytes / MAX_BYTES,
    1,
  );
}

/** Measures searches of messages as long as an assistant's. */
async function measureLongMessages(): Promise<void> {
  const talk = new GeneratedTalk(5);
  const sessions = talk.sessions(880, user.appName, user.userId, 2300);
  const peer = new Fts5();
  peer.add(textsOf(sessions));
  const backends = await openFilled(['memory', 'SQLite'], sessions);
  const queries = Array.from({ length: 100 }, () => talk.question());
  const engines = { backends, peers: [peer] };
  await measureSearches('search, 880 turns of 2,300 characters', engines, { queries, rounds: 8 }, { fts5: 1 });
  for (const each of [...backends, peer]) await each.close();
}

/** Opens backends and puts the same sessions into each. */
async function openFilled(names: readonly BackendName[], sessions: readonly Session[]): Promise<MemoryBackend[]> {
  const backends: MemoryBackend[] = [];
  for (const name of names) {
    const backend = await openBackend(name);
    if (!backend) continue;
    await fillMemory(backend.memory, sessions);
    await backend.memory.searchMemory({ ...user, query: 'warm' });
    backends.push(backend);
  }
  return backends;
}

/** Measures the fastest of several rounds for each query. Slower rounds include other work of the machine. */
async function measureSearches(
  figure: string,
  { backends, peers }: { backends: readonly MemoryBackend[]; peers: readonly Peer[] },
  { queries, rounds }: { queries: readonly string[]; rounds: number },
  limits: { p50?: number; fts5?: number | undefined },
): Promise<void> {
  const took: { [name: string]: number[] } = {};
  const timed = async (name: string, i: number, work: () => unknown): Promise<void> => {
    const begin = performance.now();
    await work();
    (took[name] ??= [])[i] = Math.min(took[name][i] ?? Infinity, performance.now() - begin);
  };
  // Each engine runs all queries in a row, as in a process that only searches. Each round begins with another engine.
  const eachQuery =
    (name: string, search: (query: string) => unknown, step = 1) =>
    async (): Promise<void> => {
      for (let i = 0; i < queries.length; i += step) await timed(name, i, () => search(queries[i]!));
    };
  for (let round = 0; round < rounds; round++) {
    // adk reads all texts in each search, so it runs only every tenth query, once.
    const searching = peers.filter(({ name }) => name !== 'adk' || round === 0);
    await inTurns(round, [
      ...backends.map(({ name, memory }) =>
        eachQuery(name, (query) => memory.searchMemory({ ...user, query, limit: 10 })),
      ),
      ...searching.map((peer) => eachQuery(peer.name, (query) => peer.search(query, 10), peer.name === 'adk' ? 10 : 1)),
    ]);
  }
  for (const { name } of backends) {
    const isLimited = LIMITED.includes(name as BackendName);
    const p50 = median(took[name]!);
    const p99 = took[name]!.toSorted((a, b) => a - b)[Math.floor(queries.length * 0.99)]!;
    const title = `${figure}, ${name}`;
    if (limits.p50 !== undefined)
      figures.add(`${title}, p50`, ms(p50), ms(limits.p50), p50 / limits.p50, isLimited ? 1 : undefined);
    figures.add(`${title}, p99 to p50`, ms(p99), ms(p50), p99 / p50, isLimited ? MAX_SPREAD : undefined);
    for (const peer of peers) {
      const theirs = median(took[peer.name]!.filter((each) => each !== undefined));
      const limit = peer.name === 'FTS5' && name === 'memory' ? limits.fts5 : undefined;
      figures.add(`${title}, p50`, ms(p50), `${peer.name} ${ms(theirs)}`, p50 / theirs, limit);
    }
  }
}

function textsOf(sessions: readonly Session[]): string[] {
  return sessions.flatMap(({ events }) => events.map(({ content }) => content!.parts![0]!.text!));
}

/** Returns the bytes of the heap and of buffers after a full collection. */
async function usedBytes(): Promise<number> {
  // The first collection frees objects with finalizers, the second one frees what they referenced.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await wait(1);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
