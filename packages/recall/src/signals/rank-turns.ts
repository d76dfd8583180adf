import type { RecallIndex } from '../index/recall-index.ts';
import { TopK } from '../index/top-k.ts';
import { findQueryWords } from './query-words.ts';
import type { Query } from './read-query.ts';
import { Relevance } from './relevance.ts';
import { scoreTimes } from './score-times.ts';
import { scoreOwnWords, scoreSessions } from './score-words.ts';
import type { ScoringScratch } from './scoring-scratch.ts';
import { SessionScorer } from './session-scorer.ts';
import type { RecallSignal, RecallTuning } from './signals.ts';
import { rankReplacedFacts } from './rank-replaced-facts.ts';

/** A turn in the results. */
export interface RankedTurn {
  slot: number;
  score: number;
  /** 0 to 1, see `Relevance`. */
  relevance: number;
  /** The score's part of each signal; undefined unless requested. */
  explanation: { [signal in RecallSignal]?: number } | undefined;
}

/** Options of `rankTurns`. */
export interface RankTurnsOptions {
  limit: number;
  /** Smallest relevance of a result. Default: 0. */
  minRelevance?: number | undefined;
  /** Returns false for turns to leave out. */
  accepts?: ((slot: number) => boolean) | undefined;
  /** True if results have an explanation. Default: false. */
  explain?: boolean | undefined;
}

/**
 * Returns the best turns, best first. A candidate is a turn with a query word in its window, or a turn that is from the time in
 * the query or mentions it. Its score is the weighted sum of its signals, each divided by its largest value over all
 * turns. Sessions whose upper bound is below the last result are skipped, which does not change the results.
 */
export function rankTurns(
  index: RecallIndex,
  query: Query,
  tuning: RecallTuning,
  scratch: ScoringScratch,
  options: RankTurnsOptions,
): RankedTurn[] {
  scratch.ensureCapacity(index);
  try {
    const words = findQueryWords(index, query.words, scratch);
    scoreOwnWords(index, words, tuning.bm25, scratch);
    scoreSessions(index, words, query, scratch);
    scoreTimes(index, query, scratch);
    const scorer = new SessionScorer(index, query, words, tuning, scratch);
    const relevance = new Relevance(index, query, words, scratch, { hasWindows: tuning.weights.neighbourhood !== 0 });
    const found = findBest(index, scorer, relevance, scratch, options);
    return found.map((slot) => ({
      slot,
      score: scratch.scores[slot]!,
      relevance: relevance.of(slot),
      explanation: options.explain ? scorer.explain(slot) : undefined,
    }));
  } finally {
    scratch.clear();
  }
}

/** Number of sessions with the highest upper bounds that are scored first, so that more other sessions can be skipped. */
const FIRST_SESSIONS = 16;

function findBest(
  index: RecallIndex,
  scorer: SessionScorer,
  relevance: Relevance,
  scratch: ScoringScratch,
  { limit, minRelevance = 0, accepts }: RankTurnsOptions,
): number[] {
  const { turns } = index;
  const { scores, upperBounds, matchedSessions } = scratch;
  const isBetter = (a: number, b: number): boolean =>
    scores[a] === scores[b] ? turns.isNewer(a, b) : scores[a]! > scores[b]!;
  const isWanted = (slot: number): boolean =>
    (!accepts || accepts(slot)) && (minRelevance === 0 || relevance.of(slot) >= minRelevance);
  const top = new TopK(limit, isBetter);
  const offered: number[] = [];
  const threshold = (): number => (top.worst === undefined ? 0 : scores[top.worst]!);
  const score = (session: number): void =>
    scorer.scoreTurns(session, (slot) => {
      if (!top.wouldKeep(slot) || !isWanted(slot)) return;
      top.offer(slot);
      offered.push(slot);
    });

  const highest = new TopK(FIRST_SESSIONS, (a, b) => upperBounds[a]! > upperBounds[b]!);
  for (const session of matchedSessions) highest.offer(session);
  const first = highest.sorted();
  for (const session of first) if (upperBounds[session]! >= threshold()) score(session);
  const rest = matchedSessions.filter((session) => upperBounds[session]! >= threshold() && !first.includes(session));
  rest.sort((a, b) => upperBounds[b]! - upperBounds[a]!);
  for (const session of rest) {
    if (upperBounds[session]! < threshold()) break;
    score(session);
  }
  if (index.successors.size === 0) return top.sorted();
  const final = new TopK(limit, isBetter);
  for (const slot of rankReplacedFacts(index, offered, scratch, relevance)) if (isWanted(slot)) final.offer(slot);
  return final.sorted();
}
