import { longTexts } from '../index/bm25.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import type { TurnTable } from '../index/turn-table.ts';
import { WINDOW_NEIGHBOURS, weightAt } from '../index/window-lengths.ts';
import type { QueryWord } from './query-words.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** BM25 of a word in a window. Counts and lengths of windows are in fifths. */
export class WindowBm25 {
  readonly #fixed: number;
  readonly #byLength: number;

  constructor({ windows, size }: TurnTable) {
    const { k1, b } = longTexts;
    const average = windows.total / (size || 1) || 1;
    this.#fixed = k1 * (1 - b) * weightAt(0);
    this.#byLength = (k1 * b * weightAt(0)) / average;
  }

  score(idf: number, count: number, length: number): number {
    return (idf * (longTexts.k1 + 1) * count) / (count + this.#fixed + this.#byLength * length);
  }

  /** Returns an upper bound of the score in all windows of a session with this count of the word. */
  upperBound(idf: number, countInSession: number, shortest: number): number {
    return this.score(idf, countInSession * weightAt(0), shortest);
  }
}

/** Writes BM25 of the window of every turn of a session to `scratch.windows`. Returns the largest value. */
export function scoreWindows(
  { turns, wordsOf }: RecallIndex,
  words: readonly QueryWord[],
  bm25: WindowBm25,
  session: number,
  { matches, positions, windows, windowedSlots }: ScoringScratch,
): number {
  const slots = turns.ofSession(session);
  const counts = new Uint32Array(slots.length * words.length);
  for (let i = 0; i < slots.length; i++) {
    if (matches[slots[i]!] === 0) continue;
    const first = Math.max(i - WINDOW_NEIGHBOURS, 0);
    const last = Math.min(i + WINDOW_NEIGHBOURS, slots.length - 1);
    const numbers = wordsOf[slots[i]!]!;
    for (let k = 0; k < numbers.length; k++) {
      const position = positions[numbers[k]!]!;
      if (position === 0) continue;
      for (let j = first; j <= last; j++) counts[j * words.length + position - 1]! += weightAt(j < i ? i - j : j - i);
    }
  }
  let largest = 0;
  for (let i = 0; i < slots.length; i++) {
    let score = 0;
    for (let word = 0; word < words.length; word++) {
      const count = counts[i * words.length + word]!;
      if (count !== 0) score += bm25.score(words[word]!.idf, count, turns.windows.lengths[slots[i]!]!);
    }
    if (score === 0) continue;
    windows[slots[i]!] = score;
    windowedSlots.push(slots[i]!);
    largest = Math.max(largest, score);
  }
  return largest;
}
