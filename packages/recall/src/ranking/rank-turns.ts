import { TopK } from '../index/top-k.ts';
import { byBound } from './by-bound.ts';
import { BOUNDS, SCORE } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';
import type { RecallSignal, RecallTuning } from './signals.ts';
import { TurnScorer } from './turn-scorer.ts';

/** A turn found; what each signal gave to its score, where that was asked for. */
export interface RankedTurn {
  slot: number;
  score: number;
  explanation: { [signal in RecallSignal]?: number } | undefined;
}

/** What a ranking is asked beside the query. */
export interface TurnsWanted {
  limit: number;
  accepts: ((slot: number) => boolean) | undefined;
  explain: boolean;
}

/**
 * The best turns, best first. A candidate is a turn in whose window a word of the query stands, or that was said, or speaks
 * of, the time it names. Each signal is divided by its largest value among all turns. Stretches of turns of which none can be
 * among the best are passed over; the answer is the same as if each had been looked at.
 */
export function rankTurns(
  index: RecallIndex,
  query: Query,
  tuning: RecallTuning,
  room: RankingRoom,
  wanted: TurnsWanted,
): RankedTurn[] {
  try {
    return best(index, new TurnScorer(index, query, tuning, room), room, wanted);
  } finally {
    room.clear();
  }
}

function best({ turns }: RecallIndex, scorer: TurnScorer, room: RankingRoom, wanted: TurnsWanted): RankedTurn[] {
  const { limit, accepts, explain } = wanted;
  const slots: number[] = [];
  const scores: number[] = [];
  const isBetter = (a: number, b: number): boolean =>
    scores[a] === scores[b] ? turns.isNewer(slots[a]!, slots[b]!) : scores[a]! > scores[b]!;
  let top = new TopK(limit, isBetter);
  let least = 0;
  const consider = (slot: number, score: number): void => {
    if (score < least || (accepts && !accepts(slot))) return;
    slots.push(slot);
    top.offer(scores.push(score) - 1);
    if (top.worst !== undefined) least = scores[top.worst]!;
  };
  const considerRows = (): void => {
    scorer.bound();
    const { bounds, order, stretches } = room;
    // Those whose turns were read already first: what is found there makes most of the rest needless.
    for (let row = 0; row < stretches.length; row++) if (scorer.isRead(row)) scorer.scoreRow(row, least, consider);
    const count = byBound(room, least);
    for (let i = 0; i < count; i++) {
      const row = order[i]!;
      if (bounds[row * BOUNDS + SCORE]! >= least && !scorer.isRead(row)) scorer.scoreRow(row, least, consider);
    }
  };
  considerRows();
  if (!scorer.isEnough(least)) {
    scorer.takeRest();
    top = new TopK(limit, isBetter);
    least = 0;
    considerRows();
  }
  return top.sorted().map((i) => {
    const slot = slots[i]!;
    return { slot, score: scores[i]!, explanation: explain ? scorer.explain(slot) : undefined };
  });
}
