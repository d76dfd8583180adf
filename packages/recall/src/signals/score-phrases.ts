import type { RecallIndex } from '../index/recall-index.ts';
import type { QueryWord } from './query-words.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** Writes the sum over all pairs of different query words that are next to each other in a turn to `scratch.phrases`. */
export function scorePhrases(
  { wordsOf }: RecallIndex,
  words: readonly QueryWord[],
  { positions, matches, matchedSlots, phrases }: ScoringScratch,
): void {
  for (let i = 0; i < matchedSlots.length; i++) {
    const slot = matchedSlots[i]!;
    if (matches[slot]! >= 2) phrases[slot] = sumOfPairs(wordsOf[slot]!, words, positions);
  }
}

/** Returns the sum of the inverse document frequencies of adjacent query words. Each pair counts once. */
function sumOfPairs(turn: readonly number[], words: readonly QueryWord[], positions: Uint16Array): number {
  const seen = new Set<number>();
  let score = 0;
  let previous = 0;
  for (const word of turn) {
    const position = positions[word]!;
    if (position !== 0 && previous !== 0 && position !== previous) {
      const pair = Math.min(position, previous) * 65_536 + Math.max(position, previous);
      if (!seen.has(pair)) score += words[position - 1]!.idf + words[previous - 1]!.idf;
      seen.add(pair);
    }
    previous = position;
  }
  return score;
}
