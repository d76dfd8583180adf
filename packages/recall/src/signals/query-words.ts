import { isVariant } from '../analysis/analyzer.ts';
import { NAME_PART } from '../analysis/name-parts.ts';
import { inverseDocumentFrequency } from '../index/bm25.ts';
import type { Postings } from '../index/postings.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** Weight of a further form beside a word. */
const VARIANT_WEIGHT = 0.5;

/** A word of the query that is in the index. */
export interface QueryWord {
  readonly postings: Postings;
  /** Rareness among the turns, halved for a further form. */
  readonly idf: number;
  /** 1, or one half for a further form. */
  readonly weight: number;
}

/** Returns the query's words that are in the index, in the query's order, and notes their positions in the scratch. */
export function findQueryWords(
  { words, turns }: RecallIndex,
  query: readonly string[],
  scratch: ScoringScratch,
): QueryWord[] {
  const found: QueryWord[] = [];
  for (const word of query) {
    for (const [variant, weight] of spellingsOf(word)) {
      const number = words.find(variant);
      if (number === undefined || scratch.positions[number] !== 0) continue;
      const postings = words.postingsOf(number);
      found.push({ postings, weight, idf: weight * inverseDocumentFrequency(turns.size, postings.length) });
      scratch.positions[number] = found.length;
      scratch.words.push(number);
    }
  }
  return found;
}

/** Returns a word with the same letters as a part of a name, and a part of a name with the same letters as a word. */
function spellingsOf(word: string): readonly (readonly [string, number])[] {
  const other = word.startsWith(NAME_PART) ? word.slice(NAME_PART.length) : NAME_PART + word;
  const own = [word, isVariant(word) ? VARIANT_WEIGHT : 1] as const;
  return isVariant(word) && !word.startsWith(NAME_PART) ? [own] : [own, [other, VARIANT_WEIGHT]];
}
