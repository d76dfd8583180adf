import type { Column } from '../memory/segment-bytes.ts';

/**
 * Where one word stands, ordered by stretch: the stretch, how often, and in which of its turns. How often is one number: in all
 * turns of the stretch, times 2 to the 14, and in those that ask something. Turns are bits, as `bitOf` says; no turn whose bit
 * is missing has the word.
 */
export type Places = number[];
/** Numbers of a place. */
export const PLACE = 3;

const NOWHERE: Places = [];
const COUNTS = 2 ** 14;
/** Counts of one turn over this are this; no ranking tells them apart. */
const MOST = 255;

export const countOf = (counts: number): number => counts >> 14;
export const askedCountOf = (counts: number): number => counts & (COUNTS - 1);

/** The bit of a turn. Turns that come one after the other have different ones. */
export const bitOf = (turn: number): number => 1 << (turn & 31);
/** Which turns of a stretch have the word is not known; then each may. */
const ANY = -1;

/** Whether bits tell of each turn whether it has the word, as long as no two turns of the stretch have the same bit. */
export const areTelling = (bits: number): boolean => bits !== ANY;

/** Where the place of a stretch begins; -1 where the word does not stand there. */
export function placeIn(places: Places, stretch: number): number {
  const at = find(places, stretch);
  return places[at] === stretch ? at : -1;
}

/** At least in so many turns of the place the word stands. */
function turnsIn(bits: number): number {
  if (bits === ANY) return 1;
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** No turn of a place has the word more often, where all of them have it so often. */
export function mostInOne(count: number, bits: number): number {
  return count === 1 ? 1 : count - turnsIn(bits) + 1;
}

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
    return this.#numbers.size * perWord + this.#placeCount * 8 * PLACE + this.#letters * 2;
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
  add(number: number, stretch: number, counts: number, turn: number): void {
    this.#turns[number]!++;
    this.#count(number, stretch, counts, bitOf(turn));
  }

  remove(number: number, stretch: number, counts: number): void {
    this.#turns[number]!--;
    this.#count(number, stretch, -counts, ANY);
    if (this.#turns[number]! > 0) return;
    const word = this.#words[number]!;
    this.#numbers.delete(word);
    this.#letters -= word.length;
    this.#words[number] = '';
    this.#free.push(number);
  }

  /** A turn that has the word has come into another stretch. */
  move(number: number, stretches: { from: number; to: number }, counts: number, turn: number): void {
    this.#count(number, stretches.from, -counts, ANY);
    this.#count(number, stretches.to, counts, bitOf(turn));
  }

  /** The words by number, in how many turns each is, how long each list is, and the lists one after the other. */
  save(): Column[] {
    const lengths = Int32Array.from(this.#places, (places) => places.length);
    const joined = new Int32Array(PLACE * this.#placeCount);
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
    this.#placeCount = joined!.length / PLACE;
    let at = 0;
    for (let number = 0; number < this.#words.length; number++) {
      const word = this.#words[number]!;
      this.#letters += word.length;
      if (word === '') this.#free.push(number);
      else this.#numbers.set(word, number);
      const end = at + (lengths as Int32Array)[number]!;
      const all = joined as Int32Array;
      const places: Places = at === end ? NOWHERE : [all[at]!, all[at + 1]!, all[at + 2]!];
      for (at += PLACE; at < end; at++) places.push(all[at]!);
      this.#places.push(places);
      at = end;
    }
  }

  #count(number: number, stretch: number, counts: number, bits: number): void {
    const places = this.#places[number]!;
    const end = places.length;
    if (end === 0) {
      // Most words stand in one place only, and a list that grows takes more than it needs.
      this.#places[number] = [stretch, counts, bits];
      this.#placeCount++;
      return;
    }
    // Most turns come last.
    const last = end - PLACE;
    if (places[last]! < stretch) {
      places.push(stretch, counts, bits);
      this.#placeCount++;
      return;
    }
    const at = places[last] === stretch ? last : find(places, stretch);
    if (places[at] === stretch) {
      places[at + 1]! += counts;
      places[at + 2]! |= bits;
      if (places[at + 1]! !== 0) return;
      places.splice(at, PLACE);
      this.#placeCount--;
    } else {
      places.splice(at, 0, stretch, counts, bits);
      this.#placeCount++;
    }
  }
}

/** The first place whose stretch is not smaller. */
function find(places: Places, stretch: number): number {
  let low = 0;
  let high = places.length / PLACE;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[PLACE * middle]! < stretch) low = middle + 1;
    else high = middle;
  }
  return PLACE * low;
}
