import { addPosting, removePosting, toPosting } from './postings.ts';
import type { Postings } from './postings.ts';

const BYTES_PER_WORD = 150;
const NO_POSTINGS: Postings = [];

/** The words of an index. Each word has a number and its postings; a word without postings is removed. */
export class WordTable {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #postings: Postings[] = [];
  readonly #free: number[] = [];
  #postingCount = 0;
  #letters = 0;

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#numbers.size * BYTES_PER_WORD + this.#postingCount * 8 + this.#letters * 2;
  }

  /** Number of word numbers assigned so far, including free ones. */
  get length(): number {
    return this.#words.length;
  }

  /** Returns the number of a word that is in the index. */
  find(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  /** Returns the number of a word, adding the word if it is new. A new word must get a posting at once. */
  numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#words.length;
    this.#numbers.set(word, number);
    this.#words[number] = word;
    this.#postings[number] = NO_POSTINGS;
    this.#letters += word.length;
    return number;
  }

  /** Returns the postings of a word. */
  postingsOf(number: number): Postings {
    return this.#postings[number]!;
  }

  /** Adds a posting of a word. */
  add(number: number, slot: number, count: number): void {
    // Most words have a single posting; an array literal takes less memory than one that grows.
    if (this.#postings[number]!.length === 0) this.#postings[number] = [toPosting(slot, count)];
    else addPosting(this.#postings[number]!, slot, count);
    this.#postingCount++;
  }

  /** Removes the posting of a slot, and the word with its last posting. */
  remove(number: number, slot: number): void {
    const postings = this.#postings[number]!;
    removePosting(postings, slot);
    this.#postingCount--;
    if (postings.length > 0) return;
    const word = this.#words[number]!;
    this.#numbers.delete(word);
    this.#letters -= word.length;
    this.#words[number] = '';
    this.#free.push(number);
  }

  /** Returns the words by number; empty for a free number. */
  all(): readonly string[] {
    return this.#words;
  }
}
