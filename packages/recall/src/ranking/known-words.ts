import { rareness } from '../index/bm25.ts';
import type { Places } from '../index/word-table.ts';
import { isForm } from './recall-index.ts';
import type { RecallIndex } from './recall-index.ts';

const FORM_WORTH = 0.5;

/** A word of the query that stands somewhere: what it is worth by its rareness, and where it stands. */
export interface KnownWord {
  word: string;
  number: number;
  worth: number;
  places: Places;
}

/** What a word counts beside others: a further form half. */
export function worthOf(word: string): number {
  return isForm(word) ? FORM_WORTH : 1;
}

/** The words that stand somewhere, in the query's order. */
export function knownWords(index: RecallIndex, words: readonly string[]): KnownWord[] {
  const known: KnownWord[] = [];
  for (const word of words) {
    const number = index.words.find(word);
    if (number === undefined) continue;
    const worth = worthOf(word) * rareness(index.turns.size, index.words.turnsWith(number));
    known.push({ word, number, worth, places: index.words.placesOf(number) });
  }
  return known;
}
