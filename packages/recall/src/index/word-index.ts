import type { Analyzer } from '../analyzer/analyzer.ts';
import { standardAnalyzer } from '../analyzer/standard-analyzer.ts';
import { rareness, weightsFor } from './bm25.ts';
import { ListPool } from './list-pool.ts';
import { addPosting, countOf, MAX_SLOTS, removePosting, slotOf } from './posting-list.ts';
import type { PostingList } from './posting-list.ts';
import { TopK } from './top-k.ts';

/** An entry found, by its id; higher scores are better. */
export interface Scored {
  id: string;
  score: number;
  /** What gave how much to the score, where that was asked for and the ranking can tell. */
  explanation?: { readonly [signal: string]: number } | undefined;
}

/** What a search is asked beside the query. */
export interface WordSearch {
  /** At most so many answers. */
  limit: number;
  /** Leaves out what it answers false to; asked only of those that would be among the answers. */
  accepts?: ((id: string) => boolean) | undefined;
}

/**
 * Finds texts by their words, ranked by BM25. Texts come, change and go one by one, at the cost of their own words; a search
 * looks at nothing but the entries that share a word with it. What is answered depends on the texts alone, not on the order
 * of their coming: equals stand newer first, then by id. Holds words and numbers, no text. No I/O.
 */
export class WordIndex {
  readonly #analyzer: Analyzer;
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #postings: PostingList[] = [];
  readonly #freeNumbers: number[] = [];
  readonly #wordsOf = new ListPool();
  readonly #slots = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #lengths: number[] = [];
  readonly #times: number[] = [];
  readonly #freeSlots: number[] = [];
  #totalLength = 0;
  #postingCount = 0;
  #nameBytes = 0;
  #scores = new Float64Array(64);

  constructor(options: { analyzer?: Analyzer | undefined } = {}) {
    this.#analyzer = options.analyzer ?? standardAnalyzer();
  }

  /** Entries held. */
  get size(): number {
    return this.#slots.size;
  }

  /** About how much memory is held. */
  get bytes(): number {
    const perWord = 160;
    const perEntry = 120;
    return (
      this.#nameBytes +
      this.#numbers.size * perWord +
      this.#slots.size * perEntry +
      this.#postingCount * 8 +
      this.#wordsOf.bytes +
      this.#scores.byteLength
    );
  }

  /** Adds a text, or puts it in the place of the one with this id. The time, in seconds, decides between equals. */
  put(id: string, text: string, timestamp: number = -Infinity): void {
    this.remove(id);
    const words = this.#analyzer.words(text, 'entry');
    const slot = this.#takeSlot();
    const numbers: number[] = [];
    for (const [word, count] of countsOf(words)) {
      const number = this.#numberOf(word);
      numbers.push(number);
      addPosting(this.#postings[number]!, slot, count);
    }
    this.#wordsOf.set(slot, numbers);
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#times[slot] = timestamp;
    this.#lengths[slot] = words.length;
    this.#totalLength += words.length;
    this.#postingCount += numbers.length;
    this.#nameBytes += id.length * 2;
  }

  /** Whether it was there. */
  remove(id: string): boolean {
    const slot = this.#slots.get(id);
    if (slot === undefined) return false;
    const numbers = this.#wordsOf.get(slot);
    for (const number of numbers) this.#removeFrom(number, slot);
    this.#postingCount -= numbers.length;
    this.#wordsOf.delete(slot);
    this.#slots.delete(id);
    this.#ids[slot] = '';
    this.#totalLength -= this.#lengths[slot]!;
    this.#nameBytes -= id.length * 2;
    this.#freeSlots.push(slot);
    return true;
  }

  /** Best first; empty where no word of the query is known. */
  search(query: string, p: WordSearch): Scored[] {
    const scores = this.#scores;
    const touched: number[] = [];
    const averageLength = this.#totalLength / (this.size || 1);
    const { k1, b } = weightsFor(averageLength);
    for (const word of new Set(this.#analyzer.words(query, 'query'))) {
      const number = this.#numbers.get(word);
      if (number === undefined) continue;
      const list = this.#postings[number]!;
      const worth = rareness(this.size, list.length) * (k1 + 1);
      for (const posting of list) {
        const slot = slotOf(posting);
        const count = countOf(posting);
        if (scores[slot] === 0) touched.push(slot);
        scores[slot]! += (worth * count) / (count + k1 * (1 - b + (b * this.#lengths[slot]!) / averageLength));
      }
    }
    const best = new TopK(p.limit, (a, b) => this.#isBetter(a, b));
    for (const slot of touched) if (best.wants(slot) && (!p.accepts || p.accepts(this.#ids[slot]!))) best.offer(slot);
    const found = best.sorted().map((slot) => ({ id: this.#ids[slot]!, score: scores[slot]! }));
    for (const slot of touched) scores[slot] = 0;
    return found;
  }

  #isBetter(a: number, b: number): boolean {
    const difference = this.#scores[a]! - this.#scores[b]!;
    if (difference !== 0) return difference > 0;
    if (this.#times[a] !== this.#times[b]) return this.#times[a]! > this.#times[b]!;
    return this.#ids[a]! < this.#ids[b]!;
  }

  #takeSlot(): number {
    const slot = this.#freeSlots.pop() ?? this.#ids.length;
    if (slot >= MAX_SLOTS) throw new RangeError(`A word index holds at most ${MAX_SLOTS} entries.`);
    if (slot >= this.#scores.length) this.#scores = new Float64Array(this.#scores.length * 2);
    return slot;
  }

  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#freeNumbers.pop() ?? this.#words.length;
    this.#numbers.set(word, number);
    this.#words[number] = word;
    this.#postings[number] = [];
    this.#nameBytes += word.length * 2;
    return number;
  }

  // A word that nothing holds any more is forgotten too.
  #removeFrom(number: number, slot: number): void {
    const list = this.#postings[number]!;
    removePosting(list, slot);
    if (list.length > 0) return;
    const word = this.#words[number]!;
    this.#numbers.delete(word);
    this.#nameBytes -= word.length * 2;
    this.#words[number] = '';
    this.#freeNumbers.push(number);
  }
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
