import type { Bm25Weights } from '../index/bm25.ts';
import { REACH, shareAt } from '../index/turn-table.ts';
import { turnParts, windowParts } from './bound-words.ts';
import type { Bm25Parts } from './bound-words.ts';
import type { KnownWord } from './known-words.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** More of one word in a turn counts as this, as in the index. */
const MOST = 255;
/** Words of the query are sought among all with so small a table that it is always at hand; what it lets through is looked at. */
const SIEVE = 4096;

/** Reads the turns of a stretch, and those around it, for the words of a query. */
export class StretchReader {
  readonly #index: RecallIndex;
  readonly #room: RankingRoom;
  readonly #sieve = new Uint8Array(SIEVE);
  readonly #places: ReadonlyMap<number, number>;
  readonly #worths: Float64Array;
  readonly #ofTurns: Bm25Parts;
  readonly #ofWindows: Bm25Parts;
  /** By place in the line, the REACH turns before the stretch first, and word: how often in the turn, and in its window. */
  #counts = new Int32Array(0);
  #inWindows = new Int32Array(0);
  #used = 0;
  /** Of the stretch whose turns were read last. */
  mostOwn = 0;
  mostAnswered = 0;
  /** The words that stand in the turns that are read, and whether each does. */
  #present: number[] = [];
  readonly #isPresent: Uint8Array;

  constructor(index: RecallIndex, words: readonly KnownWord[], bm25: Bm25Weights, room: RankingRoom) {
    this.#index = index;
    this.#room = room;
    this.#places = new Map(words.map(({ number }, i) => [number, i]));
    for (const { number } of words) this.#sieve[number & (SIEVE - 1)] = 1;
    this.#worths = new Float64Array(words.length);
    words.forEach(({ worth }, i) => (this.#worths[i] = worth));
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
    this.#makeRoom(size);
    [this.mostOwn, this.mostAnswered] = [0, 0];
    for (let at = before[start]!, place = REACH - 1; at >= 0 && place >= 0; at = before[at]!, place--)
      if (this.#count(at, place)) this.#note(at, place, size);
      else this.#room.own[at] = 0;
    for (let at = start, place = REACH; at >= 0 && place < size + 2 * REACH; at = after[at]!, place++)
      if (this.#count(at, place)) this.#note(at, place, size);
      else this.#room.own[at] = 0;
  }

  #note(slot: number, place: number, size: number): void {
    const { turns } = this.#index;
    const score = this.#scoreOf(this.#counts, place, turns.lengths[slot]!, this.#ofTurns);
    this.#room.own[slot] = score;
    if (place >= REACH && place < size + REACH && score > this.mostOwn) this.mostOwn = score;
    // The turn after it is one of the stretch's.
    const isBefore = place >= REACH - 1 && place < size + REACH - 1;
    if (isBefore && score > this.mostAnswered && turns.isAnswered(slot)) this.mostAnswered = score;
  }

  /** Notes BM25 of the windows in `room.windows`, of the stretch whose turns were read last. Answers the largest. */
  readWindows(stretch: number): number {
    const { after, stretches, windows: lengths } = this.#index.turns;
    const { windows } = this.#room;
    const size = stretches.sizes[stretch]!;
    const [counts, words] = [this.#counts, this.#worths.length];
    for (let place = 0; place < size + 2 * REACH; place++)
      for (const word of this.#present)
        if (counts[place * words + word] !== 0) this.#spread(counts[place * words + word]!, word, place, size);
    let largest = 0;
    let at = stretches.first[stretch]!;
    for (let place = REACH; place < size + REACH; at = after[at]!, place++) {
      const score = this.#scoreOf(this.#inWindows, place, lengths[at]!, this.#ofWindows);
      windows[at] = score;
      if (score > largest) largest = score;
    }
    return largest;
  }

  /** Counts the words of a turn; whether it has one. */
  #count(slot: number, place: number): boolean {
    const { items, bounds } = this.#index.wordsOf;
    const [sieve, counts, words] = [this.#sieve, this.#counts, this.#worths.length];
    let any = false;
    for (let i = bounds[2 * slot]!, end = bounds[2 * slot + 1]!; i < end; i++) {
      if (sieve[items[i]! & (SIEVE - 1)] === 0) continue;
      const word = this.#places.get(items[i]!);
      if (word === undefined || counts[place * words + word]! >= MOST) continue;
      counts[place * words + word]!++;
      any = true;
      if (this.#isPresent[word] !== 0) continue;
      this.#isPresent[word] = 1;
      this.#present.push(word);
    }
    return any;
  }

  /** Counts what stands at a place into the windows that reach it. */
  #spread(count: number, word: number, place: number, size: number): void {
    const [inWindows, words] = [this.#inWindows, this.#worths.length];
    const [from, to] = [Math.max(REACH, place - REACH), Math.min(size + REACH - 1, place + REACH)];
    for (let each = from; each <= to; each++)
      inWindows[each * words + word]! += count * shareAt(each < place ? place - each : each - place);
  }

  // In the order of the query's words, so that sums are the same whatever is read.
  #scoreOf(counts: Int32Array, place: number, length: number, { k1, plain, byLength }: Bm25Parts): number {
    const worths = this.#worths;
    const rest = byLength * length;
    let score = 0;
    for (let word = 0, at = place * worths.length; word < worths.length; word++, at++) {
      const count = counts[at]!;
      if (count !== 0) score += (worths[word]! * (k1 + 1) * count) / (count + plain + rest);
    }
    return score;
  }

  #makeRoom(size: number): void {
    const needed = (size + 2 * REACH) * this.#worths.length;
    if (this.#counts.length < needed) {
      this.#counts = new Int32Array(2 * needed);
      this.#inWindows = new Int32Array(2 * needed);
    } else {
      this.#counts.fill(0, 0, this.#used);
      this.#inWindows.fill(0, 0, this.#used);
    }
    this.#used = needed;
    for (const word of this.#present) this.#isPresent[word] = 0;
    this.#present.length = 0;
  }
}
