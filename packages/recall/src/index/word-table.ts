import { NameTable } from './name-table.ts';
import { addPosting, removePosting, toPosting } from './postings.ts';
import type { Postings } from './postings.ts';

const BYTES_PER_WORD = 150;
const NO_POSTINGS: Postings = [];

/** The words of an index. Each word has a number and its postings; a word without postings is removed. */
export class WordTable {
  readonly #names = new NameTable();
  readonly #postings: Postings[] = [];
  #postingCount = 0;
  #letters = 0;

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#names.size * BYTES_PER_WORD + this.#postingCount * 8 + this.#letters * 2;
  }

  /** Number of word numbers assigned so far, including free ones. */
  get length(): number {
    return this.#names.length;
  }

  /** Returns the number of a word that is in the index. */
  find(word: string): number | undefined {
    return this.#names.find(word);
  }

  /** Returns the number of a word. Adds a new word; the caller must then add a posting immediately. */
  numberOf(word: string): number {
    const number = this.#names.numberOf(word);
    if (number === this.#postings.length) this.#postings.push(NO_POSTINGS);
    return number;
  }

  /** Returns the postings of a word. */
  postingsOf(number: number): Postings {
    return this.#postings[number]!;
  }

  /** Adds a posting of a word. */
  add(number: number, slot: number, count: number): void {
    this.#postingCount++;
    if (this.#postings[number]!.length > 0) return addPosting(this.#postings[number]!, slot, count);
    // Most words have a single posting. An array literal needs less memory than an array that has grown.
    this.#postings[number] = [toPosting(slot, count)];
    this.#letters += this.#names.nameOf(number).length;
  }

  /** Removes the posting of a slot, and the word with its last posting. */
  remove(number: number, slot: number): void {
    removePosting(this.#postings[number]!, slot);
    this.#postingCount--;
    if (this.#postings[number]!.length > 0) return;
    this.#letters -= this.#names.nameOf(number).length;
    this.#names.remove(number);
  }

  /** Returns the words by number; empty for a free number. */
  all(): readonly string[] {
    return this.#names.all();
  }
}
