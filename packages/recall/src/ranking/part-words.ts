import { PLACE } from '../index/word-table.ts';
import type { QueryWord } from './query-words.ts';

/** Words that make rows, and words that are only looked for in rows which others make; each by its place in the query, in order. */
export interface WordParts {
  readonly telling: readonly number[];
  readonly common: readonly number[];
}

/** Words that are worth no more than this part of the worthiest, all together, tell little of a turn that has none of the others. */
const LITTLE = 0.6;
/** To pass over fewer places spares less than it costs to go on where what was found is not enough. */
const MANY_PLACES = 400;

/** Parts the words that tell most from those that stand in many turns and tell little. */
export function partWords(words: readonly QueryWord[]): WordParts {
  let all = 0;
  for (const { places } of words) all += places.length / PLACE;
  if (all < MANY_PLACES) return { telling: words.map((_, word) => word), common: [] };
  const byWorth = words.map((_, word) => word).sort((a, b) => words[a]!.worth - words[b]!.worth);
  const most = byWorth.length === 0 ? 0 : LITTLE * words[byWorth.at(-1)!]!.worth;
  let [common, worth, places] = [0, 0, 0];
  for (const word of byWorth) {
    worth += words[word]!.worth;
    if (worth > most) break;
    places += words[word]!.places.length / PLACE;
    common++;
  }
  if (places < MANY_PLACES) common = 0;
  const inOrder = (some: number[]): number[] => some.sort((a, b) => a - b);
  return { telling: inOrder(byWorth.slice(common)), common: inOrder(byWorth.slice(0, common)) };
}
