import type { Column } from '../memory/segment-bytes.ts';

/**
 * Where one word stands: pairs of a stretch and how often, ordered by stretch. How often is one number: in all turns of the
 * stretch, times 2 to the 14, and in those that ask something.
 */
export type Places = number[];

const NOWHERE: Places = [];
const COUNTS = 2 ** 14;
/** Counts of one turn over this are this; no ranking tells them apart. */
const MOST = 255;

export const countOf = (counts: number): number => counts >> 14;
export const askedCountOf = (counts: number): number => counts & (COUNTS - 1);

/** What a turn adds to the counts of a word that it has so often. */
export function countsOf(count: number, asks: boolean): number {
  const most = Math.min(count, MOST);
  return most * COUNTS + (asks ? most : 0);
}

/**
 * The words of an index: each has a number, in how many turns it is, and a list of the stretches where it stands. One that
 * stands nowhere any more is forgotten.
 */
export class WordTable {
  readonly #numbers = new Map<string, number>();
  #words: string[] = [];
  #places: Places[] = [];
  #turns: number[] = [];
  readonly #free: number[] = [];
  #placeCount = 0;
  #letters = 0;

  /** About how much memory is held. */
  get bytes(): number {
    const perWord = 168;
    return this.#numbers.size * perWord + this.#placeCount * 16 + this.#letters * 2;
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
    this.#places[number] = NOWHERE;
    this.#turns[number] = 0;
    this.#letters += word.length;
    return number;
  }

  /** In how many turns a word is. */
  turnsWith(number: number): number {
    return this.#turns[number]!;
  }

  placesOf(number: number): Places {
    return this.#places[number]!;
  }

  /** Notes a turn of a stretch that has the word; `counts` as `countsOf` says. */
  add(number: number, stretch: number, counts: number): void {
    this.#turns[number]!++;
    this.#count(number, stretch, counts);
  }

  remove(number: number, stretch: number, counts: number): void {
    this.#turns[number]!--;
    this.#count(number, stretch, -counts);
    if (this.#turns[number]! > 0) return;
    const word = this.#words[number]!;
    this.#numbers.delete(word);
    this.#letters -= word.length;
    this.#words[number] = '';
    this.#free.push(number);
  }

  /** A turn that has the word has come into another stretch. */
  move(number: number, from: number, to: number, counts: number): void {
    this.#count(number, from, -counts);
    this.#count(number, to, counts);
  }

  /** The words by number, in how many turns each is, how long each list is, and the lists one after the other. */
  save(): Column[] {
    const lengths = Int32Array.from(this.#places, (places) => places.length);
    const joined = new Int32Array(2 * this.#placeCount);
    let at = 0;
    for (const places of this.#places) {
      joined.set(places, at);
      at += places.length;
    }
    return [this.#words, Int32Array.from(this.#turns), lengths, joined];
  }

  /** Takes what was saved; nothing may be here yet. */
  load([words, turns, lengths, joined]: readonly Column[]): void {
    this.#words = [...(words as readonly string[])];
    this.#turns = [...(turns as Int32Array)];
    this.#placeCount = joined!.length >> 1;
    let at = 0;
    for (let number = 0; number < this.#words.length; number++) {
      const word = this.#words[number]!;
      this.#letters += word.length;
      if (word === '') this.#free.push(number);
      else this.#numbers.set(word, number);
      const end = at + (lengths as Int32Array)[number]!;
      const places: Places = at === end ? NOWHERE : [(joined as Int32Array)[at]!, (joined as Int32Array)[at + 1]!];
      for (at += 2; at < end; at++) places.push((joined as Int32Array)[at]!);
      this.#places.push(places);
      at = end;
    }
  }

  #count(number: number, stretch: number, counts: number): void {
    const places = this.#places[number]!;
    const end = places.length;
    if (end === 0) {
      // Most words stand in one place only, and a list that grows takes more than it needs.
      this.#places[number] = [stretch, counts];
      this.#placeCount++;
      return;
    }
    // Most turns come last.
    if (places[end - 2]! < stretch) {
      places.push(stretch, counts);
      this.#placeCount++;
      return;
    }
    const at = places[end - 2] === stretch ? end - 2 : find(places, stretch);
    if (places[at] === stretch) {
      places[at + 1]! += counts;
      if (places[at + 1]! !== 0) return;
      places.splice(at, 2);
      this.#placeCount--;
    } else {
      places.splice(at, 0, stretch, counts);
      this.#placeCount++;
    }
  }
}

/** The first place whose stretch is not smaller. */
function find(places: Places, stretch: number): number {
  let low = 0;
  let high = places.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[2 * middle]! < stretch) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
