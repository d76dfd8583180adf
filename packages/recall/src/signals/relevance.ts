import { isVariant } from '../analysis/analyzer.ts';
import { smallTalk } from '../analysis/small-talk.ts';
import { inverseDocumentFrequency } from '../index/bm25.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import { WINDOW_NEIGHBOURS } from '../index/window-lengths.ts';
import type { QueryWord } from './query-words.ts';
import type { Query } from './read-query.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

const NO_SLOT = -1;
/** Entries with a word that no entry holds, for its rareness: between none and one. */
const ENTRIES_WITH_UNKNOWN_WORD = 0.5;
/** Rareness is computed as if the memory had at least this many entries. */
const MIN_ENTRIES = 50;
/** What a turn without a query word gets of its window's relevance. */
const NEIGHBOUR_SHARE = 0.7;

/**
 * The share of a query's information that a turn and its neighbours hold, from 0 to 1: the rareness of the query's words that
 * are found, divided by that of all its words. Words that no entry holds count as the rarest. For a turn that was said at, or
 * mentions, the time asked for it is at least how well the time fits. A neighbour without a query word counts less.
 */
export class Relevance {
  readonly #index: RecallIndex;
  readonly #words: readonly QueryWord[];
  readonly #scratch: ScoringScratch;
  readonly #all: number;
  readonly #reach: number;

  /** With `hasWindows` the words of a turn's neighbours count too. */
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
    this.#reach = p.hasWindows ? WINDOW_NEIGHBOURS : 0;
    this.#all = query.words.every((word) => smallTalk.has(word) || isVariant(word))
      ? 0
      : query.words.reduce((sum, word) => (isVariant(word) ? sum : sum + worthOf(index, word)), 0);
  }

  of(slot: number): number {
    const { saidThen, aboutThen } = this.#scratch;
    const { before, after } = this.#index.turns;
    const found = new Set<number>();
    this.#collect(slot, found);
    for (const next of [before, after]) {
      let at = next[slot]!;
      for (let i = 0; at !== NO_SLOT && i < this.#reach; at = next[at]!, i++) this.#collect(at, found);
    }
    let sum = 0;
    for (const position of found) {
      const { postings, weight } = this.#words[position - 1]!;
      sum += weight * rarenessIn(this.#index, postings.length);
    }
    const share = this.#all === 0 ? 0 : Math.min(1, sum / this.#all);
    return Math.max(this.#isHit(slot) ? share : NEIGHBOUR_SHARE * share, saidThen[slot]!, aboutThen[slot]!);
  }

  /** True for a turn with a query word, for the answer to one, and for a turn of the time asked for. */
  #isHit(slot: number): boolean {
    const { own, saidThen, aboutThen } = this.#scratch;
    const { turns } = this.#index;
    const previous = turns.before[slot]!;
    const answers = previous !== NO_SLOT && own[previous] !== 0 && turns.isAnswered(previous);
    return own[slot] !== 0 || answers || saidThen[slot] !== 0 || aboutThen[slot] !== 0;
  }

  #collect(slot: number, found: Set<number>): void {
    const { positions } = this.#scratch;
    for (const word of this.#index.wordsOf[slot]!) {
      const position = positions[word]!;
      if (position !== 0) found.add(position);
    }
  }
}

function worthOf(index: RecallIndex, word: string): number {
  const number = index.words.find(word);
  return rarenessIn(index, number === undefined ? ENTRIES_WITH_UNKNOWN_WORD : index.words.postingsOf(number).length);
}

// In a memory of a few entries, every word of theirs is common and every other one very rare.
function rarenessIn({ turns }: RecallIndex, entriesWithWord: number): number {
  return inverseDocumentFrequency(Math.max(turns.size, MIN_ENTRIES), entriesWithWord);
}
