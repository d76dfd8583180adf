// Memory: how fast a user's turns are found, taken in and loaded again, and, over THOLE_RECALL_DATA, how well. Made-up talk, the
// same questions for everyone; wall time where things are waited for, CPU where they are not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { MemoryService, Plugin, Session } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { AutoIngestPlugin } from '@thole/memory/ingest';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseMemoryService } from '@thole/sql-services';
import { Figures, median } from './support/figures.ts';
import { GeneratedTalk } from './support/generated-talk.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { Fts5, MiniSearch } from './support/memory-peers.ts';
import type { Peer } from './support/memory-peers.ts';
import { question } from './support/history.ts';
import { freeModel, Ours } from './support/ours.ts';
import { RecallData } from './support/score-recall.ts';

const user = { appName: 'app', userId: 'u' };
const figures = new Figures();
const miniSearch = await MiniSearch.load();
const ms = (value: number): string => `${value.toPrecision(3)} ms`;

await comparedWithPeers(10_000, 400, { fts5: 1 / 3, spread: 8 });
await comparedWithPeers(100_000, 120, { fts5: 1 / 10, miniSearch: 1 / 50, ingest: 1.5, bytes: 2500 });
await coldStart();
await afterATurn();
await wellFound();
figures.end();

/** Searches and ingestion of one user's turns, beside peers on the same texts. */
async function comparedWithPeers(
  turns: number,
  questions: number,
  limits: { fts5?: number; miniSearch?: number; ingest?: number; bytes?: number; spread?: number },
): Promise<void> {
  const talk = new GeneratedTalk(7);
  const sessions = talk.sessions(turns, user.appName, user.userId);
  const texts = sessions.flatMap(({ events }) => events.map(({ content }) => content!.parts![0]!.text!));
  const asked = Array.from({ length: questions }, () => talk.question());
  const at = `, ${turns.toLocaleString('en')} turns`;

  const peers: Peer[] = [new Fts5(), miniSearch()];
  const ingests: { [name: string]: number } = {};
  for (const peer of peers) ingests[peer.name] = await cpuOf(turns, async () => peer.add(texts));
  const before = heldBytes();
  const ours = new InMemoryMemoryService();
  const ingest = await cpuOf(turns, async () => {
    await addAll(ours, sessions);
    await ours.searchMemory({ ...user, query: asked[0]! });
  });
  const bytes = (heldBytes() - before) / turns;

  // Each question several times: the best of them is what it costs, the others what else the machine did.
  const took: { [name: string]: number[] } = { ours: [], FTS5: [], minisearch: [] };
  const timed = async (name: string, i: number, work: () => unknown): Promise<void> => {
    const begin = performance.now();
    await work();
    took[name]![i] = Math.min(took[name]![i] ?? Infinity, performance.now() - begin);
  };
  for (let round = 0; round < 6; round++) {
    for (const [i, query] of asked.entries()) {
      await inTurns(i, [
        () => timed('ours', i, () => ours.searchMemory({ ...user, query, limit: 10 })),
        ...peers.map((peer) => async () => {
          if (round < 2) await timed(peer.name, i, () => peer.search(query, 10));
        }),
      ]);
    }
  }
  const p50 = median(took['ours']!);
  for (const [name, limit] of [
    ['FTS5', limits.fts5],
    ['minisearch', limits.miniSearch],
  ] as const) {
    const theirs = median(took[name]!);
    figures.add(`search${at}, p50`, ms(p50), `${name} ${ms(theirs)}`, p50 / theirs, limit);
  }
  const p99 = took['ours']!.toSorted((a, b) => a - b)[Math.floor(questions * 0.99)]!;
  figures.add(`search${at}, p99 against p50`, ms(p99), `p50 ${ms(p50)}`, p99 / p50, limits.spread);
  const theirs = ingests['minisearch']!;
  figures.add(
    `ingest of a turn${at}`,
    `${ingest.toFixed(1)} µs`,
    `minisearch ${theirs.toFixed(1)} µs`,
    ingest / theirs,
    limits.ingest,
  );
  const limit = limits.bytes === undefined ? undefined : limits.bytes / 2500;
  figures.add(`memory of a turn${at}, text included`, `${bytes.toFixed(0)} bytes`, '2,500 bytes', bytes / 2500, limit);
  for (const peer of peers) peer.close();
}

/** A new process's first search over SQLite: with the saved index, and without it. */
async function coldStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-'));
  const dbUrl = `sqlite://${join(folder, 'memory.db')}`;
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

/** What a turn costs its caller when its events are added to memory beside it, and what adding them takes of the processor. */
async function afterATurn(): Promise<void> {
  const [plain, remembering] = [new Ours(), new Ours()];
  const memory = new InMemoryMemoryService();
  const plugin = new AutoIngestPlugin({ sessions: remembering.service, memory });
  const agent = new LlmAgent({ name: 'root', model: freeModel() });
  const runnerOf = (ours: Ours, plugins: Plugin[]): Runner =>
    new Runner({ app: { name: 'app', rootAgent: agent, plugins }, sessionService: ours.service });
  const runners = [runnerOf(plain, []), runnerOf(remembering, [plugin])];
  const sessionIds = [await plain.session(10), await remembering.session(10)];
  const took: number[][] = [[], []];
  const adding: number[] = [];
  for (let sample = -40; sample < 60; sample++) {
    if (sample === 0) for (const list of [...took, adding]) list.length = 0;
    const sums = [0, 0];
    for (let i = 0; i < 50; i++) {
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
          await plugin.flush();
        }),
      );
    }
    sums.forEach((sum, side) => took[side]!.push((sum / 50) * 1000));
    const { events } = (await plain.service.getSession({ ...user, sessionId: sessionIds[0]!, numRecentEvents: 100 }))!;
    adding.push(
      await cpuOf(50, async () => {
        for (let i = 0; i < 100; i += 2)
          await memory.addEventsToMemory({ ...user, sessionId: `s${sample}`, events: events.slice(i, i + 2) });
      }),
    );
  }
  const [without, beside] = took as [number[], number[]];
  figures.compare('a turn that is remembered beside it', { samples: beside }, { samples: without, of: 'without' }, 1.1);
  figures.compare('adding its events, CPU', { samples: adding }, { samples: without, of: 'the turn' });
  await Promise.all(runners.map((runner) => runner.close()));
}

/** Questions on real conversations: how much of what answers them is among the first. */
async function wellFound(): Promise<void> {
  const path = process.env['THOLE_RECALL_DATA'];
  if (!path) {
    console.log(
      'How well turns are found is measured over THOLE_RECALL_DATA, a path; see bench/support/score-recall.ts.',
    );
    return;
  }
  const data = new RecallData(path);
  const ours = await data.ours();
  const peers = [
    { name: 'minisearch', score: data.peer(miniSearch) },
    { name: 'FTS5', score: data.peer(() => new Fts5()) },
  ];
  const percent = (value: number): string => `${value.toFixed(1)} %`;
  for (const [figure, key, least] of [
    ['recall among the first 5', 'r5', 75],
    ['recall among the first 10', 'r10', 81],
    ['recall among the first 20', 'r20', 85],
    ['mean reciprocal rank', 'mrr', 66],
  ] as const) {
    const theirs = peers.map(({ name, score }) => `${name} ${percent(score[key])}`).join(', ');
    figures.add(`${figure}, what is wanted against ours`, percent(ours[key]), theirs, least / ours[key], 1);
  }
  figures.add(
    'evidence inside 900 tokens, what is wanted against ours',
    percent(ours.packed),
    '85 %',
    85 / ours.packed,
    1,
  );
}

async function addAll(memory: MemoryService, sessions: readonly Session[]): Promise<void> {
  for (const session of sessions) await memory.addSessionToMemory(session);
}

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
