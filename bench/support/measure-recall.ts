import { basename, delimiter } from 'node:path';
import type { Figures } from './figures.ts';
import type { Peer } from './memory-peers.ts';
import { RecallData } from './score-recall.ts';
import type { RecallScore } from './score-recall.ts';

type PeerMakers = { readonly [name: string]: () => Peer };
type Recalled = Awaited<ReturnType<RecallData['ours']>>;

const figureNames = {
  r5: 'recall among the first 5',
  r10: 'recall among the first 10',
  r20: 'recall among the first 20',
  mrr: 'mean reciprocal rank',
} as const;
const percent = (value: number): string => `${value.toFixed(1)} %`;

/** Questions on real conversations: how much of what answers them is among the first, beside peers on the same texts. */
export async function measureRecall(figures: Figures, peers: PeerMakers): Promise<void> {
  const paths = (process.env['THOLE_RECALL_DATA'] ?? '').split(delimiter).filter((path) => path !== '');
  if (paths.length === 0) {
    console.log(
      'How well turns are found is measured over THOLE_RECALL_DATA, paths; see bench/support/score-recall.ts.',
    );
  }
  for (const path of paths) {
    const data = RecallData.read(path);
    const name = basename(path, '.json');
    await scored(figures, { name, data, peers, least: { r5: 75, r10: 81, r20: 85, mrr: 66, packed: 85 } });
    // Nothing was promised but to be better than others.
    await scored(figures, { name: `${name} joined to long messages`, data: data.joined(8), peers });
  }
}

async function scored(
  figures: Figures,
  p: { name: string; data: RecallData; peers: PeerMakers; least?: Recalled },
): Promise<void> {
  const { name, data, least } = p;
  const ours = await data.ours();
  const theirs: [name: string, score: RecallScore][] = [];
  for (const [peer, make] of Object.entries(p.peers)) theirs.push([peer, await data.peer(make)]);
  for (const key of ['r5', 'r10', 'r20', 'mrr'] as const) {
    const told = theirs.map(([peer, score]) => `${peer} ${percent(score[key])}`).join(', ');
    const wanted = least?.[key] ?? Math.max(...theirs.map(([, score]) => score[key]));
    const title = least ? `${name}: ${figureNames[key]}, ${wanted} % wanted` : `${name}: ${figureNames[key]}`;
    figures.add(title, percent(ours[key]), told, wanted / ours[key], 1);
  }
  if (least)
    figures.add(`${name}: evidence inside 900 tokens`, percent(ours.packed), '85 %', least.packed / ours.packed, 1);
}
