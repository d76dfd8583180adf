import type { Bm25Weights } from '../index/bm25.ts';
import { REACH, shareAt } from '../index/windows.ts';
import { bitOf } from '../index/word-table.ts';
import { turnParts, windowParts } from './bound-words.ts';
import type { Bm25Parts } from './bound-words.ts';
import type { KnownWord } from './known-words.ts';
import { BITS, LAST_LINK, MARKS, SIEVE } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** More of one word in a turn counts as this, as in the index. */
const MOST = 255;

/**
 * Finds what words of a query stand in the turns of a stretch, and in those around it. A turn is read only where it is not
 * known already which of them it has, and how often.
 */
export class StretchReader {
  readonly #index: RecallIndex;
  readonly #room: RankingRoom;
  /** Where two words of the query have the same last digits. */
  readonly #others = new Map<number, number>();
  readonly #words: number;
  readonly #ofTurns: Bm25Parts;
  readonly #ofWindows: Bm25Parts;
  /** Places in the line of the stretch that was read last. */
  #line = 0;
  /** The words that stand in these turns, in the query's order. */
  readonly #present: number[] = [];
  /** Of the stretch whose turns were read last. */
  mostOwn = 0;
  mostAnswered = 0;

  constructor(index: RecallIndex, words: readonly KnownWord[], bm25: Bm25Weights, room: RankingRoom) {
    this.#index = index;
    this.#room = room;
    this.#words = words.length;
    const { sieve, numbers, worths, isPresent, isTold } = room;
    sieve.fill(0);
    for (let i = 0; i < words.length; i++) {
      const { number, worth } = words[i]!;
      numbers[i] = number;
      worths[i] = worth;
      isPresent[i] = 0;
      isTold[i] = 0;
      if (sieve[number & (SIEVE - 1)] === 0) sieve[number & (SIEVE - 1)] = i + 1;
      else this.#others.set(number, i);
    }
    this.#ofTurns = turnParts(index, bm25);
    this.#ofWindows = windowParts(index);
  }

  /**
   * Notes BM25 of each turn in `room.own`, of the turns before and after as well; the largest of the stretch's own in `mostOwn`,
   * and of those that its turns answer in `mostAnswered`.
   */
  readTurns(row: number): void {
    const { before, after, stretches } = this.#index.turns;
    const stretch = this.#room.stretches.at(row);
    const size = stretches.sizes[stretch]!;
    this.#makeRoom(size + 2 * REACH);
    this.mostOwn = 0;
    this.mostAnswered = 0;
    const slots = this.#room.line;
    const end = REACH + size;
    const areDistinct = this.#lineUp(stretch, end);
    const bits = this.#room.marks[row * MARKS + BITS]!;
    const unread = this.#countTold(row, areDistinct);
    for (let place = REACH; place < end; place++) {
      const slot = slots[place]!;
      const bit = bitOf(slot);
      if ((bits & bit) === 0) continue;
      if ((unread & bit) !== 0) this.#count(slot, place);
      this.#note(slot, place, size);
    }
    for (let word = 0; word < this.#words; word++) this.#room.isTold[word] = 0;
    let at = before[slots[REACH]!]!;
    for (let place = REACH - 1; at >= 0 && place >= 0; at = before[at]!, place--) this.#readBeside(at, place, size);
    at = after[slots[end - 1]!]!;
    for (let place = end; at >= 0 && place < this.#line; at = after[at]!, place++) this.#readBeside(at, place, size);
  }

  /** Puts the turns of a stretch in their places. Answers whether each has a bit of its own. */
  #lineUp(stretch: number, end: number): boolean {
    const { after, stretches } = this.#index.turns;
    const { own } = this.#room;
    const slots = this.#room.line;
    const placeOfBit = this.#room.placeOfBit;
    let seen = 0;
    let areDistinct = true;
    let slot = stretches.first[stretch]!;
    for (let place = REACH; place < end; place++) {
      const bit = bitOf(slot);
      if ((seen & bit) !== 0) areDistinct = false;
      seen |= bit;
      placeOfBit[31 - Math.clz32(bit)] = place;
      slots[place] = slot;
      own[slot] = 0;
      slot = after[slot]!;
    }
    return areDistinct;
  }

  /**
   * Counts the words of which it is known in which turns of the stretch they stand, and that it is once. Answers the bits of
   * the turns in which others stand.
   */
  #countTold(row: number, areDistinct: boolean): number {
    const { counts, links, marks } = this.#room;
    const placeOfBit = this.#room.placeOfBit;
    const line = this.#line;
    let unread = 0;
    for (let link = marks[row * MARKS + LAST_LINK]!; link !== 0; link = links[link + 2]!) {
      const word = links[link - 1]!;
      const bits = links[link]!;
      if (!areDistinct || links[link + 1] === 0) {
        unread |= bits;
        continue;
      }
      this.#meet(word);
      this.#room.isTold[word] = 1;
      for (let rest = bits; rest !== 0; rest &= rest - 1) {
        const place = placeOfBit[31 - Math.clz32(rest & -rest)]!;
        counts[word * line + place] = 1;
        this.#room.hits.push(word * line + place);
      }
    }
    return unread;
  }

  /** Reads a turn of a stretch before or after. */
  #readBeside(slot: number, place: number, size: number): void {
    const { rowOf, marks, own } = this.#room;
    own[slot] = 0;
    const row = rowOf[this.#index.turns.stretches.of[slot]!]! - 1;
    if (row < 0 || (marks[row * MARKS + BITS]! & bitOf(slot)) === 0) return;
    this.#count(slot, place);
    this.#note(slot, place, size);
  }

  #note(slot: number, place: number, size: number): void {
    const { turns } = this.#index;
    const score = this.#scoreOf(place, turns.lengths[slot]!);
    this.#room.own[slot] = score;
    if (place >= REACH && place < size + REACH && score > this.mostOwn) this.mostOwn = score;
    // The turn after it is one of the stretch's.
    const isBefore = place >= REACH - 1 && place < size + REACH - 1;
    if (isBefore && score > this.mostAnswered && turns.isAnswered(slot)) this.mostAnswered = score;
  }

  /** Notes BM25 of the windows in `room.windows`, of the row whose turns were read last. Answers the largest. */
  readWindows(row: number): number {
    const { stretches, windows: kept } = this.#index.turns;
    const { lengths } = kept;
    const { line, windows, lineRests, lineScores } = this.#room;
    const { byLength } = this.#ofWindows;
    const end = REACH + stretches.sizes[this.#room.stretches.at(row)]!;
    for (let place = REACH; place < end; place++) {
      lineRests[place] = byLength * lengths[line[place]!]!;
      lineScores[place] = 0;
    }
    const present = this.#present;
    for (let i = 0; i < present.length; i++) this.#addToWindows(present[i]!, end);
    let largest = 0;
    for (let place = REACH; place < end; place++) {
      const score = lineScores[place]!;
      windows[line[place]!] = score;
      if (score > largest) largest = score;
    }
    return largest;
  }

  /** Counts a word of each place into the windows that reach it, and adds what it is worth there. */
  #addToWindows(word: number, end: number): void {
    const { counts, inWindows, lineRests, lineScores } = this.#room;
    const { k1, plain } = this.#ofWindows;
    const worth = this.#room.worths[word]! * (k1 + 1);
    const start = word * this.#line;
    let first = end;
    let last = 0;
    for (let place = 0; place < this.#line; place++) {
      const count = counts[start + place]!;
      if (count === 0) continue;
      const from = place < 2 * REACH ? REACH : place - REACH;
      const to = place + REACH < end ? place + REACH : end - 1;
      if (from < first) first = from;
      if (to > last) last = to;
      for (let each = from; each <= to; each++)
        inWindows[each]! += count * shareAt(each < place ? place - each : each - place);
    }
    for (let place = first; place <= last; place++) {
      const count = inWindows[place]!;
      if (count === 0) continue;
      inWindows[place] = 0;
      lineScores[place]! += (worth * count) / (count + plain + lineRests[place]!);
    }
  }

  /** Counts the words of a turn that are not counted yet. */
  #count(slot: number, place: number): void {
    const { items, bounds } = this.#index.wordsOf;
    const { sieve, counts } = this.#room;
    const numbers = this.#room.numbers;
    const isTold = this.#room.isTold;
    for (let i = bounds[2 * slot]!, end = bounds[2 * slot + 1]!; i < end; i++) {
      const number = items[i]!;
      const sieved = sieve[number & (SIEVE - 1)]!;
      if (sieved === 0) continue;
      const word = numbers[sieved - 1] === number ? sieved - 1 : this.#others.get(number);
      if (word === undefined || isTold[word] !== 0) continue;
      const at = word * this.#line + place;
      if (counts[at]! >= MOST) continue;
      if (counts[at]!++ === 0) this.#room.hits.push(at);
      if (this.#room.isPresent[word] === 0) this.#meet(word);
    }
  }

  /** A word that stands in the stretch; the order is kept up. */
  #meet(word: number): void {
    const present = this.#present;
    this.#room.isPresent[word] = 1;
    let at = present.push(word) - 1;
    for (; at > 0 && present[at - 1]! > word; at--) present[at] = present[at - 1]!;
    present[at] = word;
  }

  /** BM25 of the turn at a place. Words come in the query's order, so that sums are the same whatever is read. */
  #scoreOf(place: number, length: number): number {
    const { counts } = this.#room;
    const { k1, plain, byLength } = this.#ofTurns;
    const worths = this.#room.worths;
    const present = this.#present;
    const line = this.#line;
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
    const { counts, hits } = this.#room;
    for (let i = 0, { items } = hits; i < hits.length; i++) counts[items[i]!] = 0;
    hits.length = 0;
    const present = this.#present;
    for (let i = 0; i < present.length; i++) this.#room.isPresent[present[i]!] = 0;
    present.length = 0;
    this.#line = line;
    this.#room.makeLines(line, this.#words);
  }
}
