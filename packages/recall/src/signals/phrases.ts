import type { RecallIndex } from '../index/recall-index.ts';
import type { QueryWord } from './query-words.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** Returns the worth of all pairs of different query words that are next to each other in a turn, each pair once. */
export function scorePhrases(
  { wordsOf }: RecallIndex,
  words: readonly QueryWord[],
  { positions, matches }: ScoringScratch,
  slot: number,
): number {
  if (matches[slot]! < 2) return 0;
  const seen = new Set<number>();
  let score = 0;
  let previous = 0;
  for (const word of wordsOf[slot]!) {
    const position = positions[word]!;
    if (position !== 0 && previous !== 0 && position !== previous) {
      const pair = Math.min(position, previous) * 65_536 + Math.max(position, previous);
      if (!seen.has(pair)) score += words[position - 1]!.worth + words[previous - 1]!.worth;
      seen.add(pair);
    }
    previous = position;
  }
  return score;
}
