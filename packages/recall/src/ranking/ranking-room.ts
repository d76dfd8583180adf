import { grown } from '../index/grown.ts';
import { SIGNALS } from './signals.ts';
import { SlotList } from './slot-list.ts';

const column = (): Float64Array => new Float64Array(64);
const signals = (): Float64Array => new Float64Array(SIGNALS.length);

/** Numbers of a row in `bounds`: what no turn of its stretch exceeds in these, and in its score. */
export const BOUNDS = 8;
export const OWN = 0;
export const WINDOW = 1;
/** The own words of a turn before that asks something. */
export const ASKED = 2;
/** The own words of the turn after. */
export const AHEAD = 3;
export const PHRASE = 4;
export const THEN = 5;
export const ABOUT = 6;
export const SCORE = 7;

/** Numbers of a row in `marks`. */
export const MARKS = 4;
/** The turns in which a word may stand, as `bitOf` says. */
export const BITS = 0;
/** Where its last link is, and one. */
export const LAST_LINK = 1;
/** 1 where its turns were read. */
export const IS_READ = 2;
/** How often the word at hand stands in it and around it. */
export const AROUND = 3;

/** Bounds are told apart to one part in so many. */
export const LEVELS = 64;

/** Words of the query are sought among all with so small a table that it is always at hand; what it lets through is looked at. */
export const SIEVE = 2048;

/** Columns that a ranking works in, kept from one search to the next; all zero in between but for those of turns. */
export class RankingRoom {
  /** By slot, good in stretches that were read: BM25 of the turn's own words, and of the window around it. */
  own: Float64Array = column();
  windows: Float64Array = column();
  /** By slot: when a turn was said, and of what time it speaks, each from 0 to 1. */
  saidThen: Float64Array = column();
  aboutThen: Float64Array = column();
  /** Slots with a time. */
  readonly dated: SlotList = new SlotList();
  /** By session: BM25 of the session, and how often the word at hand stands in it. */
  sessions: Float64Array = column();
  sessionCounts: Int32Array = new Int32Array(64);
  readonly sessionsTouched: SlotList = new SlotList();
  readonly sessionsAtHand: SlotList = new SlotList();
  /** Stretches in which a turn may be a candidate; the place of one here is its row. By stretch: its row and one, or 0. */
  readonly stretches: SlotList = new SlotList();
  rowOf: Int32Array = new Int32Array(64);
  /** Of each row what no turn in it exceeds, and what else is known; see `OWN` and `BITS`. */
  bounds: Float64Array = new Float64Array(64 * BOUNDS);
  marks: Int32Array = new Int32Array(64 * MARKS);
  /** What stands where, as `noteWord` says, and how many numbers that are. */
  links: Int32Array = new Int32Array(1024);
  linkCount = 0;
  /** Rows with many levels of their bounds, see `byBound`. */
  order: Int32Array = new Int32Array(64);
  readonly levels: Int32Array = new Int32Array(LEVELS + 1);
  /** As in SIGNALS: what each weighs, is worth, is at most, and is of the turn at hand. */
  readonly weights: Float64Array = signals();
  readonly factors: Float64Array = signals();
  readonly largest: Float64Array = signals();
  readonly values: Float64Array = signals();
  /** By word of the query: its number, what it is worth, and whether it stands in the line at hand, and is counted already. */
  numbers: Int32Array = new Int32Array(64);
  worths: Float64Array = column();
  isPresent: Uint8Array = new Uint8Array(64);
  isTold: Uint8Array = new Uint8Array(64);
  /** By the last digits of a word's number: its place in the query, and one, if it may be that word. */
  readonly sieve: Int32Array = new Int32Array(SIEVE);
  /** The turns of the stretch at hand by their places in its line, which has room for those before and after; places by bit. */
  line: Int32Array = new Int32Array(64);
  readonly placeOfBit: Int32Array = new Int32Array(32);
  /** By place in the line: how often the word at hand is in the window, what its length adds to BM25's denominator, BM25 so far. */
  inWindows: Int32Array = new Int32Array(64);
  lineRests: Float64Array = column();
  lineScores: Float64Array = column();
  /** By word and place in the line: how often it is in the turn; and which of these are not zero. */
  counts: Int32Array = new Int32Array(1024);
  readonly hits: SlotList = new SlotList();
  /** Rows in or around which the word at hand stands. */
  readonly rowsAround: SlotList = new SlotList();

  makeRoom(p: { slots: number; sessions: number; stretches: number; words: number }): void {
    while (this.worths.length < p.words) {
      this.numbers = grown(this.numbers);
      this.worths = grown(this.worths);
      this.isPresent = grown(this.isPresent);
      this.isTold = grown(this.isTold);
    }
    while (this.own.length < p.slots) {
      this.own = grown(this.own);
      this.windows = grown(this.windows);
      this.saidThen = grown(this.saidThen);
      this.aboutThen = grown(this.aboutThen);
    }
    while (this.sessions.length < p.sessions) {
      this.sessions = grown(this.sessions);
      this.sessionCounts = grown(this.sessionCounts);
    }
    while (this.rowOf.length < p.stretches) this.rowOf = grown(this.rowOf);
    while (this.order.length < p.stretches) {
      this.order = grown(this.order);
      this.bounds = grown(this.bounds);
      this.marks = grown(this.marks);
    }
  }

  /** Room for a line, and in `counts` for so many words; these must be zero. */
  makeLines(length: number, words: number): void {
    while (this.line.length < length) {
      this.line = grown(this.line);
      this.inWindows = grown(this.inWindows);
      this.lineRests = grown(this.lineRests);
      this.lineScores = grown(this.lineScores);
    }
    if (this.counts.length < length * words) this.counts = new Int32Array(2 * length * words);
  }

  /** The row of a stretch, which may be new. */
  row(stretch: number): number {
    const row = this.rowOf[stretch]! - 1;
    return row < 0 ? this.#newRow(stretch) : row;
  }

  #newRow(stretch: number): number {
    const { bounds, marks, stretches } = this;
    const row = stretches.length;
    stretches.push(stretch);
    this.rowOf[stretch] = row + 1;
    for (let at = row * BOUNDS; at < (row + 1) * BOUNDS; at++) bounds[at] = 0;
    for (let at = row * MARKS; at < (row + 1) * MARKS; at++) marks[at] = 0;
    return row;
  }

  /** Makes all zero again. */
  clear(): void {
    const { dated, saidThen, aboutThen, sessions, sessionsTouched, stretches, counts, hits } = this;
    for (let i = 0, { items } = dated; i < dated.length; i++) {
      saidThen[items[i]!] = 0;
      aboutThen[items[i]!] = 0;
    }
    for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++) sessions[items[i]!] = 0;
    for (let i = 0, { items } = stretches; i < stretches.length; i++) this.rowOf[items[i]!] = 0;
    this.linkCount = 0;
    for (let i = 0, { items } = hits; i < hits.length; i++) counts[items[i]!] = 0;
    for (const list of [dated, sessionsTouched, stretches, hits]) list.length = 0;
  }
}
