// Memory: how fast a user's turns are found, taken in and loaded again, and, over THOLE_RECALL_DATA, how well. Made-up talk, the
// same questions for everyone, as sentences and as bare words; wall time where things are waited for, CPU where they are not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { MemoryService, Plugin, Session } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { AutoIngestPlugin } from '@thole/memory/ingest';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseMemoryService } from '@thole/sql-services';
import { Figures, median } from './support/figures.ts';
import { GeneratedTalk } from './support/generated-talk.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { AdkMemory, Fts5, MiniSearch } from './support/memory-peers.ts';
import type { Peer } from './support/memory-peers.ts';
import { question } from './support/history.ts';
import { freeModel, Ours } from './support/ours.ts';
import { RecallData } from './support/score-recall.ts';

const user = { appName: 'app', userId: 'u' };
const figures = new Figures();
const [miniSearch, adk] = [await MiniSearch.load(), await AdkMemory.load()];
const ms = (value: number): string => `${value.toPrecision(3)} ms`;

await warmUp();
await comparedWithPeers(10_000, { questions: 200, samples: 5 }, { fts5: 1 / 3, spread: 8, bytes: 2500 });
await comparedWithPeers(
  100_000,
  { questions: 60, samples: 1 },
  { fts5: 1 / 10, miniSearch: 1 / 50, ingest: 1.5, bytes: 2500 },
);
await coldStart();
await afterATurn();
await wellFound();
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
  const asked = Array.from({ length: 50 }, () => talk.question());
  const ours = new InMemoryMemoryService();
  await addAll(ours, sessions);
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
  let bytes = 0;
  for (let sample = 0; sample < samples; sample++) {
    for (const peer of peers) peer.close();
    peers = [new Fts5(), miniSearch(), adk()];
    for (const peer of peers) (ingests[peer.name] ??= []).push(await cpuOf(turns, async () => peer.add(texts)));
    ours = new InMemoryMemoryService();
    const before = await heldBytes();
    const ingest = await cpuOf(turns, async () => {
      await addAll(ours, sessions);
      await ours.searchMemory({ ...user, query: asked[0]! });
    });
    ingests['ours']!.push(ingest);
    bytes = ((await heldBytes()) - before) / turns;
  }

  const { fts5, miniSearch: mini, spread } = limits;
  await searched(`search, ${at}`, ours, peers, asked, { FTS5: fts5, minisearch: mini, spread });
  // What an inverted index is best at; the figures that are promised are those of questions.
  await searched(`search by bare words, ${at}`, ours, peers, words, { spread });
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
  ours: MemoryService,
  peers: readonly Peer[],
  queries: readonly string[],
  limits: { [name: string]: number | undefined },
): Promise<void> {
  const took: { [name: string]: number[] } = {};
  const timed = async (name: string, i: number, work: () => unknown): Promise<void> => {
    const begin = performance.now();
    await work();
    (took[name] ??= [])[i] = Math.min(took[name][i] ?? Infinity, performance.now() - begin);
  };
  for (let round = 0; round < 4; round++) {
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

/** A new process's first search over SQLite: with the saved index, and without it. */
async function coldStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-'));
  const dbUrl = `sqlite:///${join(folder, 'memory.db')}`;
  const talk = new GeneratedTalk(11);
  const query = talk.question();
  const first = new DatabaseMemoryService(dbUrl);
  await addAll(first, talk.sessions(10_000, user.appName, user.userId));
  const search = async (): Promise<number> => {
    const memory = new DatabaseMemoryService(dbUrl);
    await memory.ping();
    clearNursery();
    const begin = performance.now();
    await memory.searchMemory({ ...user, query });
    const took = performance.now() - begin;
    // What it saves goes on beside it.
    await wait(saving);
    await memory.close();
    return took;
  };
  const saving = 1000;
  // Every search but the first finds what was saved; a removal takes it away again.
  const [analysing, loading]: number[][] = [[], []];
  for (let i = 0; i < 5; i++) {
    await first.addMemory({
      ...user,
      memories: [{ id: 'gone', kind: 'note', content: { parts: [{ text: 'Gone.' }] } }],
    });
    await first.deleteMemory({ ...user, ids: ['gone'] });
    analysing!.push(await search());
    loading!.push(await search());
  }
  await first.close();
  rmSync(folder, { recursive: true });
  const [ours, theirs] = [median(loading!), median(analysing!)];
  figures.add(
    'first search of a process, 10,000 turns in SQLite',
    ms(ours),
    `analysing ${ms(theirs)}`,
    ours / theirs,
    1 / 4,
  );
}

/**
 * What a turn costs its caller, from the message to the last event, when its events are added to memory beside it; and what
 * adding them takes of the processor in between. The event loop turns after each turn, as it does when people write.
 */
async function afterATurn(): Promise<void> {
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
    // A session each, so that none is longer than people's are.
    const sessionIds = [await plain.session(10), await remembering.session(10)];
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
  const [without, beside] = took as [number[], number[]];
  // What else the machine does changes from sample to sample, and hardly within one.
  const ratio = median(beside.map((each, i) => each / without[i]!));
  figures.add(
    'a turn that is remembered beside it',
    `${median(beside).toFixed(1)} µs`,
    `without ${median(without).toFixed(1)} µs`,
    ratio,
    1.1,
  );
  figures.compare('adding its events, between the turns', { samples: adding }, { samples: without, of: 'the turn' });
  await Promise.all(runners.map((runner) => runner.close()));
}

/** Questions on real conversations: how much of what answers them is among the first. */
async function wellFound(): Promise<void> {
  const paths = (process.env['THOLE_RECALL_DATA'] ?? '').split(delimiter).filter((path) => path !== '');
  if (paths.length === 0) {
    console.log(
      'How well turns are found is measured over THOLE_RECALL_DATA, paths; see bench/support/score-recall.ts.',
    );
  }
  for (const path of paths) {
    const data = RecallData.read(path);
    const name = basename(path, '.json');
    await scored(name, data, { r5: 75, r10: 81, r20: 85, mrr: 66, packed: 85 });
    // Nothing was promised but to be better than others.
    await scored(`${name} joined to long messages`, data.joined(8), undefined);
  }
}

async function scored(
  name: string,
  data: RecallData,
  least: { r5: number; r10: number; r20: number; mrr: number; packed: number } | undefined,
): Promise<void> {
  const ours = await data.ours();
  const peers = [
    { name: 'minisearch', score: await data.peer(miniSearch) },
    { name: 'FTS5', score: await data.peer(() => new Fts5()) },
    { name: 'adk', score: await data.peer(adk) },
  ];
  const percent = (value: number): string => `${value.toFixed(1)} %`;
  for (const [figure, key] of [
    ['recall among the first 5', 'r5'],
    ['recall among the first 10', 'r10'],
    ['recall among the first 20', 'r20'],
    ['mean reciprocal rank', 'mrr'],
  ] as const) {
    const theirs = peers.map((peer) => `${peer.name} ${percent(peer.score[key])}`).join(', ');
    const wanted = least?.[key] ?? Math.max(...peers.map((peer) => peer.score[key]));
    const title = least ? `${name}: ${figure}, ${wanted} % wanted` : `${name}: ${figure}`;
    figures.add(title, percent(ours[key]), theirs, wanted / ours[key], 1);
  }
  if (least)
    figures.add(`${name}: evidence inside 900 tokens`, percent(ours.packed), '85 %', least.packed / ours.packed, 1);
}

async function addAll(memory: MemoryService, sessions: readonly Session[]): Promise<void> {
  for (const session of sessions) await memory.addSessionToMemory(session);
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
