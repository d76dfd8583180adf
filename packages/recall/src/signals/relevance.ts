import { isVariant } from '../analysis/analyzer.ts';
import { requestWords, smallTalk } from '../analysis/small-talk.ts';
import { inverseDocumentFrequency } from '../index/bm25.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import { WINDOW_NEIGHBOURS } from '../index/window-lengths.ts';
import type { QueryWord } from './query-words.ts';
import type { Query } from './read-query.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

const NO_SLOT = -1;
/** Number of entries with a word that no entry has, for its inverse document frequency: between 0 and 1. */
const ENTRIES_WITH_UNKNOWN_WORD = 0.5;
/** Inverse document frequency is computed as if the memory had at least this many entries. */
const MIN_ENTRIES = 50;
/** Factor for the relevance of a turn without a query word. */
const NEIGHBOUR_SHARE = 0.7;

/**
 * The share of a query's information that a turn and its neighbours contain, from 0 to 1: the sum of the inverse document
 * frequencies of the query words found, divided by the sum for all query words. Words that no entry has count as the rarest. A
 * turn at the time in the query has at least the closeness of that time. A turn without a query word has a lower relevance, and
 * a fact has at least the relevance of the facts that it replaced.
 */
export class Relevance {
  readonly #index: RecallIndex;
  readonly #words: readonly QueryWord[];
  readonly #scratch: ScoringScratch;
  /** Sum of the inverse document frequencies of the query's words. */
  readonly #total: number;
  readonly #neighbours: number;
  /** By slot of a fact: the highest relevance of the facts that it replaced. */
  readonly #inherited = new Map<number, number>();

  /** With `hasWindows`, the words of a turn's neighbours count too. */
  constructor(
    index: RecallIndex,
    query: Query,
    words: readonly QueryWord[],
    scratch: ScoringScratch,
    p: { hasWindows: boolean },
  ) {
    this.#index = index;
    this.#words = words;
    this.#scratch = scratch;
    this.#neighbours = p.hasWindows ? WINDOW_NEIGHBOURS : 0;
    this.#total = query.words.every((word) => smallTalk.has(word) || isVariant(word))
      ? 0
      : query.words.reduce((sum, word) => (isVariant(word) ? sum : sum + idfOf(index, word)), 0);
  }

  /** Returns the relevance of a turn. */
  of(slot: number): number {
    const { saidThen, aboutThen } = this.#scratch;
    const { previousOf, nextOf } = this.#index.turns;
    const found = new Set<number>();
    this.#collect(slot, found);
    for (const next of [previousOf, nextOf])
      for (let at = next[slot]!, i = 0; at !== NO_SLOT && i < this.#neighbours; at = next[at]!, i++)
        this.#collect(at, found);
    let sum = 0;
    for (const position of found) {
      const { postings, weight } = this.#words[position - 1]!;
      sum += weight * boundedIdf(this.#index, postings.length);
    }
    const share = this.#total === 0 ? 0 : Math.min(1, sum / this.#total);
    const relevance = this.#isHit(slot) ? share : NEIGHBOUR_SHARE * share;
    return Math.max(relevance, saidThen[slot]!, aboutThen[slot]!, this.#inherited.get(slot) ?? 0);
  }

  /** Raises the relevance of a fact to the relevance of a fact that it replaced. */
  raise(slot: number, relevance: number): void {
    this.#inherited.set(slot, Math.max(relevance, this.#inherited.get(slot) ?? 0));
  }

  /** True for a turn with a query word, for the answer to such a turn, and for a turn at the time in the query. */
  #isHit(slot: number): boolean {
    const { ownWords, saidThen, aboutThen } = this.#scratch;
    const { turns } = this.#index;
    const previous = turns.previousOf[slot]!;
    const answers = previous !== NO_SLOT && ownWords[previous] !== 0 && turns.isAnswered(previous);
    return ownWords[slot] !== 0 || answers || saidThen[slot] !== 0 || aboutThen[slot] !== 0;
  }

  /** Adds the positions of the query words in a turn to `found`. */
  #collect(slot: number, found: Set<number>): void {
    const { positions } = this.#scratch;
    for (const word of this.#index.wordsOf[slot]!) if (positions[word] !== 0) found.add(positions[word]!);
  }
}

function idfOf(index: RecallIndex, word: string): number {
  const number = index.words.find(word);
  if (number === undefined && requestWords.has(word)) return 0;
  return boundedIdf(index, number === undefined ? ENTRIES_WITH_UNKNOWN_WORD : index.words.postingsOf(number).length);
}

/** Returns the inverse document frequency with a minimum number of entries: in a small memory all words would be common or very rare. */
function boundedIdf({ turns }: RecallIndex, entriesWithWord: number): number {
  return inverseDocumentFrequency(Math.max(turns.size, MIN_ENTRIES), entriesWithWord);
}
