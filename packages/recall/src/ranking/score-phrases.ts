import type { QueryWord } from './query-words.ts';
import type { RecallIndex } from './recall-index.ts';

/** Says of a turn how many of the words stand side by side in it, each pair by its rareness and once. */
export function phraseScorer(index: RecallIndex, words: readonly QueryWord[]): (slot: number) => number {
  const worths = new Map(words.map(({ number, worth }) => [number, worth]));
  if (worths.size < 2) return () => 0;
  return (slot) => {
    const numbers = index.wordsOf.get(slot);
    const pairs = new Set<string>();
    let score = 0;
    for (let i = 1; i < numbers.length; i++) {
      const [one, other] = [numbers[i - 1]!, numbers[i]!];
      const [worth, otherWorth] = [worths.get(one), worths.get(other)];
      if (worth === undefined || otherWorth === undefined || one === other) continue;
      const pair = one < other ? `${one} ${other}` : `${other} ${one}`;
      if (pairs.has(pair)) continue;
      pairs.add(pair);
      score += worth + otherWorth;
    }
    return score;
  };
}
