import { isVariant } from '../analysis/analyzer.ts';
import { NAME_PART } from '../analysis/name-parts.ts';
import { inverseDocumentFrequency } from '../index/bm25.ts';
import type { Postings } from '../index/postings.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** Weight of a variant relative to a word. */
const VARIANT_WEIGHT = 0.5;

/** A word of the query that is in the index. */
export interface QueryWord {
  readonly postings: Postings;
  /** Inverse document frequency in the turns, halved for a variant. */
  readonly idf: number;
  /** 1, or 0.5 for a variant. */
  readonly weight: number;
}

/** Returns the query's words that are in the index, in the query's order, and writes their positions to `scratch.positions`. */
export function findQueryWords(
  { words, turns }: RecallIndex,
  query: readonly string[],
  scratch: ScoringScratch,
): QueryWord[] {
  const found: QueryWord[] = [];
  for (const word of query) {
    for (const [spelling, weight] of spellingsOf(word)) {
      const number = words.find(spelling);
      if (number === undefined || scratch.positions[number] !== 0) continue;
      const postings = words.postingsOf(number);
      found.push({ postings, weight, idf: weight * inverseDocumentFrequency(turns.size, postings.length) });
      scratch.positions[number] = found.length;
      scratch.words.push(number);
    }
  }
  return found;
}

/** Returns a word with its weight, and the same letters as a part of a name. For a part of a name, returns also the word. */
function spellingsOf(word: string): readonly (readonly [string, number])[] {
  const other = word.startsWith(NAME_PART) ? word.slice(NAME_PART.length) : NAME_PART + word;
  const exact = [word, isVariant(word) ? VARIANT_WEIGHT : 1] as const;
  return isVariant(word) && !word.startsWith(NAME_PART) ? [exact] : [exact, [other, VARIANT_WEIGHT]];
}
