import type { Bm25Weights } from '../index/bm25.ts';
import { REACH, shareAt } from '../index/windows.ts';
import { bitOf } from '../index/word-table.ts';
import { turnParts, windowParts } from './bound-words.ts';
import type { Bm25Parts } from './bound-words.ts';
import type { KnownWord } from './known-words.ts';
import { SIEVE } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** More of one word in a turn counts as this, as in the index. */
const MOST = 255;
/** Reads the turns of a stretch, and those around it, for the words of a query. */
export class StretchReader {
  readonly #index: RecallIndex;
  readonly #room: RankingRoom;
  readonly #numbers: Int32Array;
  /** Where two words of the query have the same last digits. */
  readonly #others = new Map<number, number>();
  readonly #worths: Float64Array;
  readonly #ofTurns: Bm25Parts;
  readonly #ofWindows: Bm25Parts;
  /** Places in the line of the stretch that was read last. */
  #line = 0;
  /** The words that stand in these turns, in the query's order. */
  readonly #present: number[] = [];
  readonly #isPresent: Uint8Array;
  /** Of the stretch whose turns were read last. */
  mostOwn = 0;
  mostAnswered = 0;

  constructor(index: RecallIndex, words: readonly KnownWord[], bm25: Bm25Weights, room: RankingRoom) {
    this.#index = index;
    this.#room = room;
    this.#numbers = new Int32Array(words.length);
    this.#worths = new Float64Array(words.length);
    const { sieve } = room;
    sieve.fill(0);
    for (let i = 0; i < words.length; i++) {
      const { number, worth } = words[i]!;
      this.#numbers[i] = number;
      this.#worths[i] = worth;
      if (sieve[number & (SIEVE - 1)] === 0) sieve[number & (SIEVE - 1)] = i + 1;
      else this.#others.set(number, i);
    }
    this.#isPresent = new Uint8Array(words.length);
    this.#ofTurns = turnParts(index, bm25);
    this.#ofWindows = windowParts(index);
  }

  /**
   * Notes BM25 of each turn in `room.own`, of the turns before and after as well; the largest of the stretch's own in `mostOwn`,
   * and of those that its turns answer in `mostAnswered`.
   */
  readTurns(stretch: number): void {
    const { before, after, stretches } = this.#index.turns;
    const size = stretches.sizes[stretch]!;
    const start = stretches.first[stretch]!;
    const line = size + 2 * REACH;
    this.#makeRoom(line);
    [this.mostOwn, this.mostAnswered] = [0, 0];
    const { turnBits, own } = this.#room;
    const { of } = stretches;
    for (let at = before[start]!, place = REACH - 1; at >= 0 && place >= 0; at = before[at]!, place--)
      if ((turnBits[of[at]!]! & bitOf(at)) !== 0) this.#readTurn(at, place, size);
      else own[at] = 0;
    const bits = turnBits[stretch]!;
    let at = start;
    for (let place = REACH; place < size + REACH; at = after[at]!, place++)
      if ((bits & bitOf(at)) !== 0) this.#readTurn(at, place, size);
      else own[at] = 0;
    for (let place = size + REACH; at >= 0 && place < line; at = after[at]!, place++)
      if ((turnBits[of[at]!]! & bitOf(at)) !== 0) this.#readTurn(at, place, size);
      else own[at] = 0;
  }

  #readTurn(slot: number, place: number, size: number): void {
    if (this.#count(slot, place)) this.#note(slot, place, size);
    else this.#room.own[slot] = 0;
  }

  #note(slot: number, place: number, size: number): void {
    const { turns } = this.#index;
    const score = this.#scoreOf(this.#room.counts, place, turns.lengths[slot]!, this.#ofTurns);
    this.#room.own[slot] = score;
    if (place >= REACH && place < size + REACH && score > this.mostOwn) this.mostOwn = score;
    // The turn after it is one of the stretch's.
    const isBefore = place >= REACH - 1 && place < size + REACH - 1;
    if (isBefore && score > this.mostAnswered && turns.isAnswered(slot)) this.mostAnswered = score;
  }

  /** Notes BM25 of the windows in `room.windows`, of the stretch whose turns were read last. Answers the largest. */
  readWindows(stretch: number): number {
    const { after, stretches, windows: kept } = this.#index.turns;
    const { lengths } = kept;
    const { windows, inWindows } = this.#room;
    const size = stretches.sizes[stretch]!;
    for (const word of this.#present) this.#spread(word, size);
    let largest = 0;
    let at = stretches.first[stretch]!;
    for (let place = REACH; place < size + REACH; at = after[at]!, place++) {
      const score = this.#scoreOf(inWindows, place, lengths[at]!, this.#ofWindows);
      windows[at] = score;
      if (score > largest) largest = score;
    }
    return largest;
  }

  /** Counts the words of a turn; whether it has one. */
  #count(slot: number, place: number): boolean {
    const { items, bounds } = this.#index.wordsOf;
    const { sieve, counts } = this.#room;
    const numbers = this.#numbers;
    let any = false;
    for (let i = bounds[2 * slot]!, end = bounds[2 * slot + 1]!; i < end; i++) {
      const number = items[i]!;
      const sieved = sieve[number & (SIEVE - 1)]!;
      if (sieved === 0) continue;
      const word = numbers[sieved - 1] === number ? sieved - 1 : this.#others.get(number);
      if (word === undefined) continue;
      const at = word * this.#line + place;
      if (counts[at]! >= MOST) continue;
      counts[at]!++;
      any = true;
      if (this.#isPresent[word] === 0) this.#meet(word);
    }
    return any;
  }

  /** A word that stands in the stretch; the order is kept up. */
  #meet(word: number): void {
    const present = this.#present;
    this.#isPresent[word] = 1;
    let at = present.push(word) - 1;
    for (; at > 0 && present[at - 1]! > word; at--) present[at] = present[at - 1]!;
    present[at] = word;
  }

  /** Counts a word of each place into the windows that reach it. */
  #spread(word: number, size: number): void {
    const { counts, inWindows } = this.#room;
    const start = word * this.#line;
    for (let place = 0; place < this.#line; place++) {
      const count = counts[start + place]!;
      if (count === 0) continue;
      const [from, to] = [Math.max(REACH, place - REACH), Math.min(size + REACH - 1, place + REACH)];
      for (let each = from; each <= to; each++)
        inWindows[start + each]! += count * shareAt(each < place ? place - each : each - place);
    }
  }

  // In the order of the query's words, so that sums are the same whatever is read.
  #scoreOf(counts: Int32Array, place: number, length: number, { k1, plain, byLength }: Bm25Parts): number {
    const [worths, present, line] = [this.#worths, this.#present, this.#line];
    const rest = byLength * length;
    let score = 0;
    for (let i = 0; i < present.length; i++) {
      const word = present[i]!;
      const count = counts[word * line + place]!;
      if (count !== 0) score += (worths[word]! * (k1 + 1) * count) / (count + plain + rest);
    }
    return score;
  }

  /** Forgets the stretch that was read before. */
  #makeRoom(line: number): void {
    const { counts, inWindows } = this.#room;
    const present = this.#present;
    for (let i = 0; i < present.length; i++) {
      const start = present[i]! * this.#line;
      for (let at = start; at < start + this.#line; at++) {
        counts[at] = 0;
        inWindows[at] = 0;
      }
      this.#isPresent[present[i]!] = 0;
    }
    present.length = 0;
    this.#line = line;
    this.#room.makeLines(line * this.#worths.length);
  }
}
