import { addPosting, removePosting } from './posting-list.ts';
import type { PostingList } from './posting-list.ts';

/** The words of an index: each has a number, and a list of where it stands. One that stands nowhere any more is forgotten. */
export class WordTable {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #postings: PostingList[] = [];
  readonly #free: number[] = [];
  #postingCount = 0;
  #letters = 0;

  /** About how much memory is held. */
  get bytes(): number {
    const perWord = 160;
    return this.#numbers.size * perWord + this.#postingCount * 8 + this.#letters * 2;
  }

  /** How many numbers were given; some may be free. */
  get length(): number {
    return this.#words.length;
  }

  /** The word of a number; empty for a free one. */
  wordOf(number: number): string {
    return this.#words[number]!;
  }

  /** The number of a word that stands somewhere. */
  find(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  /** The number of a word, new or known. A new one must be given a place at once. */
  numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#words.length;
    this.#numbers.set(word, number);
    this.#words[number] = word;
    this.#postings[number] = [];
    this.#letters += word.length;
    return number;
  }

  postingsOf(number: number): PostingList {
    return this.#postings[number]!;
  }

  add(number: number, slot: number, count: number): void {
    addPosting(this.#postings[number]!, slot, count);
    this.#postingCount++;
  }

  remove(number: number, slot: number): void {
    const list = this.#postings[number]!;
    removePosting(list, slot);
    this.#postingCount--;
    if (list.length > 0) return;
    const word = this.#words[number]!;
    this.#numbers.delete(word);
    this.#letters -= word.length;
    this.#words[number] = '';
    this.#free.push(number);
  }
}
