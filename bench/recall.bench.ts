// Measures how well memory finds the turns that answer questions about long conversations, on each backend and in other
// searches.
//   THOLE_RECALL_DATA=FILE pnpm bench recall
//   pnpm bench recall -- --locomo FILE --longmemeval FILE
// The formats are in docs/benchmarks.md. No data is part of this repository.
import { basename, delimiter } from 'node:path';
import { parseArgs } from 'node:util';
import { Figures } from './support/figures.ts';
import { BACKENDS, openBackend } from './support/memory-backends.ts';
import type { BackendName } from './support/memory-backends.ts';
import { AdkMemory, Fts5, MiniSearch } from './support/memory-peers.ts';
import type { Peer } from './support/memory-peers.ts';
import { readLocomo } from './support/read-locomo.ts';
import { readLongMemEval } from './support/read-longmemeval.ts';
import { joinedToMessages, readRecallData, withOtherNames, withPronouns, withSuffix } from './support/recall-data.ts';
import type { Conversation } from './support/recall-data.ts';
import { scoreBackend, scorePeer } from './support/score-recall.ts';
import type { BackendScore, RecallScore } from './support/score-recall.ts';

const MIN_SCORE: RecallScore = { r5: 75, r10: 81.5, r20: 85.5, mrr: 66.5 };
const MIN_SINGLE_HOP = 84;

const { values } = parseArgs({ options: { locomo: { type: 'string' }, longmemeval: { type: 'string' } } });
const figures = new Figures();
const paths = (process.env['THOLE_RECALL_DATA'] ?? '').split(delimiter).filter((path) => path !== '');
if (paths.length === 0 && values.locomo === undefined && values.longmemeval === undefined)
  console.log('There is no data: set THOLE_RECALL_DATA, --locomo FILE or --longmemeval FILE. See docs/benchmarks.md.');

for (const path of paths) {
  const data = readRecallData(path);
  const name = basename(path, '.json');
  await compare(name, data, { backends: BACKENDS, minScore: MIN_SCORE });
  await scoreOurs(`${name}, other names`, withOtherNames(data), 'memory', MIN_SCORE);
  await scoreOurs(`${name}, "I" and "you"`, withPronouns(data), 'memory', MIN_SCORE);
  for (const suffix of [' today', ' this week']) {
    const score = await scoreOurs(`${name}, "${suffix.trim()}" appended`, withSuffix(data, suffix), 'memory');
    const { r5 } = score!.byCategory.get('single-hop')!;
    const title = `${name}, "${suffix.trim()}" appended: single-hop R@5`;
    figures.add(title, percent(r5), percent(MIN_SINGLE_HOP), MIN_SINGLE_HOP / rounded(r5), 1);
  }
  await compare(`${name}, joined to long messages`, joinedToMessages(data, 8), { backends: ['memory'] });
}
if (values.locomo !== undefined) await compare('LoCoMo', readLocomo(values.locomo), { backends: BACKENDS });
if (values.longmemeval !== undefined)
  await compare('LongMemEval', readLongMemEval(values.longmemeval), { backends: ['memory'] });
figures.end();

async function compare(
  name: string,
  data: readonly Conversation[],
  p: { backends: readonly BackendName[]; minScore?: RecallScore },
): Promise<void> {
  for (const backend of p.backends) await scoreOurs(name, data, backend, p.minScore);
  const [miniSearch, adk] = [await MiniSearch.load(), await AdkMemory.load()];
  const peers: { readonly [name: string]: () => Peer } = { minisearch: miniSearch, FTS5: () => new Fts5(), adk };
  for (const [peer, make] of Object.entries(peers)) print(name, peer, await scorePeer(data, make));
}

async function scoreOurs(
  name: string,
  data: readonly Conversation[],
  backendName: BackendName,
  minScore?: RecallScore,
): Promise<BackendScore | undefined> {
  const backend = await openBackend(backendName);
  if (!backend) return undefined;
  try {
    const score = await scoreBackend(data, backend);
    print(name, backendName, score);
    const categories = [...score.byCategory].map(([category, { r5 }]) => `${category} ${percent(r5)}`);
    console.log(`  R@5 by category: ${categories.join(', ')}; evidence in 900 tokens: ${percent(score.packed)}`);
    for (const key of minScore ? (['r5', 'r10', 'r20', 'mrr'] as const) : [])
      figures.add(
        `${name}, ${backendName}: ${key}`,
        percent(score[key]),
        percent(minScore![key]),
        minScore![key] / rounded(score[key]),
        1,
      );
    return score;
  } finally {
    await backend.close();
  }
}

function print(name: string, engine: string, { r5, r10, r20, mrr }: RecallScore): void {
  console.log(`${name} | ${engine} | R@5, R@10, R@20, MRR: ${[r5, r10, r20, mrr].map(percent).join(', ')}`);
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}
