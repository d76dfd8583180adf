import { REACH, shareAt } from '../index/windows.ts';
import { areTelling, bitOf, countOf, mostInOne } from '../index/word-table.ts';
import type { Bm25Parts, TextKinds } from './bm25-parts.ts';
import type { QueryWord } from './query-words.ts';
import { BITS, FIRST, LAST, LAST_LINK, MARKS, SIEVE } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** More of one word in a turn counts as this, as in the index. */
const MOST = 255;
const NONE = -1;

/**
 * Finds what words of a query stand in the turns of a stretch, and in those around it. A turn is read only where it is not
 * known already which of them it has, and how often.
 */
export class StretchReader {
  readonly #index: RecallIndex;
  readonly #room: RankingRoom;
  /** Where two words of the query have the same last digits. */
  readonly #others = new Map<number, number>();
  readonly #ofTurns: Bm25Parts;
  readonly #ofWindows: Bm25Parts;
  /** Where the line of the stretch that was read last begins, and how many places it has. */
  #start = 0;
  #line = 0;
  /** How many words stand in these turns; `room.present` tells which, in the query's order. */
  #present = 0;
  /** Of the stretch whose turns were read last. */
  mostOwn = 0;
  mostAnswered = 0;

  constructor(index: RecallIndex, words: readonly QueryWord[], { ofTurns, ofWindows }: TextKinds, room: RankingRoom) {
    this.#index = index;
    this.#room = room;
    this.#ofTurns = ofTurns;
    this.#ofWindows = ofWindows;
    const { sieve } = room;
    for (let i = 0; i < words.length; i++) {
      const { number } = words[i]!;
      if (sieve[number & (SIEVE - 1)] === 0) sieve[number & (SIEVE - 1)] = i + 1;
      else this.#others.set(number, i);
    }
  }

  /**
   * Notes BM25 of each turn in `room.own`, of the turns before and after as well; the largest of the stretch's own in `mostOwn`,
   * and of those that its turns answer in `mostAnswered`. Answers where the line begins.
   */
  readTurns(row: number): number {
    const { stretches } = this.#index.turns;
    const { marks } = this.#room;
    const stretch = this.#room.stretches.at(row);
    const size = stretches.sizes[stretch]!;
    const start = this.#begin(size + 2 * REACH);
    const end = REACH + size;
    this.mostOwn = 0;
    this.mostAnswered = 0;
    const seen = this.#lineUp(stretch, end);
    const bits = marks[row * MARKS + BITS]!;
    const unread = this.#countTold(row, seen !== 0);
    const { lines, placeOfBit } = this.#room;
    for (let rest = bits & seen; rest !== 0; rest &= rest - 1) {
      const place = placeOfBit[31 - Math.clz32(rest & -rest)]!;
      this.#readTurn(lines[start + place]!, place, size, unread);
    }
    for (let place = REACH; seen === 0 && place < end; place++)
      if ((bits & bitOf(lines[start + place]!)) !== 0) this.#readTurn(lines[start + place]!, place, size, unread);
    this.#readAround(stretch, size);
    return start;
  }

  #readTurn(slot: number, place: number, size: number, unread: number): void {
    if ((unread & bitOf(slot)) !== 0) this.#count(slot, place);
    this.#note(slot, place, size);
  }

  /** Reads the turns before and after a stretch; most sessions have none. */
  #readAround(stretch: number, size: number): void {
    const { before, after, stretches } = this.#index.turns;
    const { lines, wordCount, isTold } = this.#room;
    const start = this.#start;
    const end = REACH + size;
    for (let word = 0; word < wordCount; word++) isTold[word] = 0;
    const isAlone = stretches.alone[stretch]! >= 0;
    let at = isAlone ? NONE : before[lines[start + REACH]!]!;
    for (let place = REACH - 1; place >= 0; place--) at = this.#readBeside(at, place, size, before);
    at = isAlone ? NONE : after[lines[start + end - 1]!]!;
    for (let place = end; place < end + REACH; place++) at = this.#readBeside(at, place, size, after);
  }

  /** Puts the turns of a stretch in their places. Answers their bits; 0 where two have the same. */
  #lineUp(stretch: number, end: number): number {
    const { after, stretches } = this.#index.turns;
    const { own, windows, lines, placeOfBit } = this.#room;
    const start = this.#start;
    let seen = 0;
    let areDistinct = true;
    let slot = stretches.first[stretch]!;
    for (let place = REACH; place < end; place++) {
      const bit = bitOf(slot);
      if ((seen & bit) !== 0) areDistinct = false;
      seen |= bit;
      placeOfBit[31 - Math.clz32(bit)] = place;
      lines[start + place] = slot;
      own[start + place] = 0;
      windows[start + place] = 0;
      slot = after[slot]!;
    }
    return areDistinct ? seen : 0;
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
    for (let at = marks[row * MARKS + LAST_LINK]! - 1; at >= 0; at = links[at + 3]! - 1) {
      const word = links[at]!;
      const bits = links[at + 2]!;
      if (!areDistinct || !areTelling(bits) || mostInOne(countOf(links[at + 1]!), bits) !== 1) {
        unread |= bits;
        continue;
      }
      this.#meet(word);
      this.#room.isTold[word] = 1;
      for (let rest = bits; rest !== 0; rest &= rest - 1) {
        const place = placeOfBit[31 - Math.clz32(rest & -rest)]!;
        counts[word * line + place] = 1;
        this.#hit(word, place);
      }
    }
    return unread;
  }

  /** Reads a turn of a stretch before or after, if there is one. Answers the one next to it. */
  #readBeside(slot: number, place: number, size: number, next: Int32Array): number {
    const { rowOf, marks, own, lines } = this.#room;
    lines[this.#start + place] = slot;
    own[this.#start + place] = 0;
    if (slot < 0) return slot;
    const row = rowOf[this.#index.turns.stretches.of[slot]!]! - 1;
    if (row >= 0 && (marks[row * MARKS + BITS]! & bitOf(slot)) !== 0) {
      this.#count(slot, place);
      this.#note(slot, place, size);
    }
    return next[slot]!;
  }

  #note(slot: number, place: number, size: number): void {
    const { turns } = this.#index;
    const score = this.#scoreOf(place, turns.lengths[slot]!);
    this.#room.own[this.#start + place] = score;
    if (place >= REACH && place < size + REACH && score > this.mostOwn) this.mostOwn = score;
    // The turn after it is one of the stretch's.
    const isBefore = place >= REACH - 1 && place < size + REACH - 1;
    if (isBefore && score > this.mostAnswered && turns.isAnswered(slot)) this.mostAnswered = score;
  }

  /**
   * Notes BM25 of the windows in `room.windows`, of the row whose turns were read last, and in its marks from where to where
   * they reach a word. Answers the largest.
   */
  readWindows(row: number): number {
    const { stretches } = this.#index.turns;
    const { windows, present, marks, firstHit, lastHit } = this.#room;
    const start = this.#start;
    const end = REACH + stretches.sizes[this.#room.stretches.at(row)]!;
    let first = end;
    let last = 0;
    for (let i = 0; i < this.#present; i++) {
      const word = present[i]!;
      if (firstHit[word]! < first) first = firstHit[word]!;
      if (lastHit[word]! > last) last = lastHit[word]!;
      this.#addToWindows(word, end);
    }
    first = start + Math.max(first - REACH, REACH);
    last = start + Math.min(last + REACH, end - 1);
    marks[row * MARKS + FIRST] = first;
    marks[row * MARKS + LAST] = last;
    let largest = 0;
    for (let at = first; at <= last; at++) if (windows[at]! > largest) largest = windows[at]!;
    return largest;
  }

  /** Counts a word of each place into the windows that reach it, and adds what it is worth there. */
  #addToWindows(word: number, end: number): void {
    const { counts, inWindows, windows, lines, firstHit, lastHit } = this.#room;
    const { lengths } = this.#index.turns.windows;
    const { k1, plain, byLength } = this.#ofWindows;
    const worth = this.#room.worths[word]! * (k1 + 1);
    const cells = word * this.#line;
    const start = this.#start;
    for (let place = firstHit[word]!; place <= lastHit[word]!; place++) {
      const count = counts[cells + place]!;
      if (count === 0) continue;
      const last = Math.min(place + REACH, end - 1);
      for (let each = Math.max(place - REACH, REACH); each <= last; each++)
        inWindows[each]! += count * shareAt(each < place ? place - each : each - place);
    }
    const last = Math.min(lastHit[word]! + REACH, end - 1);
    for (let place = Math.max(firstHit[word]! - REACH, REACH); place <= last; place++) {
      const count = inWindows[place]!;
      if (count === 0) continue;
      inWindows[place] = 0;
      windows[start + place]! += (worth * count) / (count + plain + byLength * lengths[lines[start + place]!]!);
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
      if (this.#room.isPresent[word] === 0) this.#meet(word);
      if (counts[at]!++ === 0) this.#hit(word, place);
    }
  }

  /** A word that stands in the stretch; the order is kept up. */
  #meet(word: number): void {
    const { present, isPresent, firstHit, lastHit } = this.#room;
    isPresent[word] = 1;
    firstHit[word] = this.#line;
    lastHit[word] = 0;
    let at = this.#present++;
    for (; at > 0 && present[at - 1]! > word; at--) present[at] = present[at - 1]!;
    present[at] = word;
  }

  /** A word that is met stands at a place. */
  #hit(word: number, place: number): void {
    const { hits, firstHit, lastHit } = this.#room;
    hits.push(word * this.#line + place);
    if (place < firstHit[word]!) firstHit[word] = place;
    if (place > lastHit[word]!) lastHit[word] = place;
  }

  /** BM25 of the turn at a place. Words come in the query's order, so that sums are the same whatever is read. */
  #scoreOf(place: number, length: number): number {
    const { counts, worths, present } = this.#room;
    const { k1, plain, byLength } = this.#ofTurns;
    const line = this.#line;
    const rest = byLength * length;
    let score = 0;
    for (let i = 0; i < this.#present; i++) {
      const word = present[i]!;
      const count = counts[word * line + place]!;
      if (count !== 0) score += (worths[word]! * (k1 + 1) * count) / (count + plain + rest);
    }
    return score;
  }

  /** Begins a new line, and forgets the one before. Answers where it begins. */
  #begin(length: number): number {
    const { counts, hits, present, isPresent } = this.#room;
    for (let i = 0, { items } = hits; i < hits.length; i++) counts[items[i]!] = 0;
    hits.length = 0;
    for (let i = 0; i < this.#present; i++) isPresent[present[i]!] = 0;
    this.#present = 0;
    this.#line = length;
    return (this.#start = this.#room.newLine(length));
  }
}
