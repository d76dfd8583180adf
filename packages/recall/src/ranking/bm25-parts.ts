import { longTexts } from '../index/bm25.ts';
import type { Bm25Weights } from '../index/bm25.ts';
import { shareAt } from '../index/windows.ts';
import type { RecallIndex } from './recall-index.ts';

/** What a turn's own words count in its window. */
export const FIFTHS: number = shareAt(0);

/** The parts of BM25 that are the same for all texts of a kind; counts and lengths of windows are both in fifths. */
export interface Bm25Parts {
  readonly k1: number;
  readonly plain: number;
  readonly byLength: number;
}

/** How texts of each kind are weighed. */
export interface TextKinds {
  readonly ofTurns: Bm25Parts;
  readonly ofWindows: Bm25Parts;
  readonly ofSessions: Bm25Parts;
}

export function turnParts({ turns }: RecallIndex, { k1, b }: Bm25Weights): Bm25Parts {
  const average = turns.totalLength / (turns.size || 1) || 1;
  return { k1, plain: k1 * (1 - b), byLength: (k1 * b) / average };
}

export function windowParts({ turns }: RecallIndex): Bm25Parts {
  const { k1, b } = longTexts;
  const average = turns.windows.total / (turns.size || 1) || 1;
  return { k1, plain: k1 * (1 - b) * FIFTHS, byLength: (k1 * b * FIFTHS) / average };
}

export function sessionParts({ turns }: RecallIndex): Bm25Parts {
  const { k1, b } = longTexts;
  const average = turns.totalLength / (turns.ofSessions.count || 1) || 1;
  return { k1, plain: k1 * (1 - b), byLength: (k1 * b) / average };
}

/** The fifths that a window can have of a word: what stands in other turns than the window's own is a neighbour's. */
export function fifthsOf(count: number, inOne: number): number {
  return count * FIFTHS - (count - inOne);
}
