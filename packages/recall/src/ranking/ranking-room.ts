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
export const MARKS = 5;
/** The turns in which a word may stand, as `bitOf` says. */
export const BITS = 0;
/** Where its last link is, and one; 0 for none. */
export const LAST_LINK = 1;
/** Where its line begins, and one; 0 as long as it was not read. */
export const LINE = 2;
/** In its line, once it was read: the first and the last turn whose window reaches a word. */
export const FIRST = 3;
export const LAST = 4;

/** Numbers of a link: the word's place in the query, the counts and bits of its place in the stretch, and the link before, as in `LAST_LINK`. */
export const LINK = 4;

/** Bounds are told apart to one part in so many. */
export const LEVELS = 64;

/** Words of the query are sought among all with so small a table that it is always at hand; what it lets through is looked at. */
export const SIEVE = 2048;

/** Columns that a ranking works in, kept from one search to the next. Those by slot, by session and by stretch are zero in between. */
export class RankingRoom {
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
  /** Stretches of sessions of several. */
  readonly joined: SlotList = new SlotList();
  /** What stands where, see `LINK`, and how many numbers that are. */
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
  /** As in SIGNALS: no turn of a stretch without a row has more. */
  readonly leftOut: Float64Array = signals();
  wordCount = 0;
  /** By word of the query: its number, what it is worth among turns, and among sessions. */
  numbers: Int32Array = new Int32Array(64);
  worths: Float64Array = column();
  inSessions: Float64Array = column();
  /** How often it stands at most in a turn of those that were passed over. */
  mostPassed: Int32Array = new Int32Array(64);
  /** How often it stands in what is at hand. */
  around: Int32Array = new Int32Array(64);
  /** Those that stand in the line at hand. By word: whether it is one of them, and is counted already. */
  present: Int32Array = new Int32Array(64);
  isPresent: Uint8Array = new Uint8Array(64);
  isTold: Uint8Array = new Uint8Array(64);
  /** By word that is present: the first and the last place in the line at hand where it stands. */
  firstHit: Int32Array = new Int32Array(64);
  lastHit: Int32Array = new Int32Array(64);
  /** By the last digits of a word's number: its place in the query, and one, if it may be that word. */
  readonly sieve: Int32Array = new Int32Array(SIEVE);
  /** Lines of the rows that were read, one after the other: the turns of each, `REACH` before and after included; -1 for none. */
  lines: Int32Array = new Int32Array(1024);
  /** The same, of each turn: BM25 of its own words, and of the window around it. */
  own: Float64Array = new Float64Array(1024);
  windows: Float64Array = new Float64Array(1024);
  lineEnd = 0;
  /** By bit: its place in the line at hand. */
  readonly placeOfBit: Int32Array = new Int32Array(32);
  /** By place in the line at hand: how often a word is in the window. */
  inWindows: Int32Array = new Int32Array(64);
  /** By word and place in the line: how often it is in the turn; and which of these are not zero. */
  counts: Int32Array = new Int32Array(1024);
  readonly hits: SlotList = new SlotList();

  makeRoom(p: { slots: number; sessions: number; stretches: number; words: number }): void {
    while (this.worths.length < p.words) {
      this.numbers = grown(this.numbers);
      this.worths = grown(this.worths);
      this.inSessions = grown(this.inSessions);
      this.mostPassed = grown(this.mostPassed);
      this.around = grown(this.around);
      this.present = grown(this.present);
      this.isPresent = grown(this.isPresent);
      this.isTold = grown(this.isTold);
      this.firstHit = grown(this.firstHit);
      this.lastHit = grown(this.lastHit);
    }
    while (this.saidThen.length < p.slots) {
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

  /** The words of a query. */
  setWords(words: readonly { number: number; worth: number; inSessions: number }[]): void {
    this.wordCount = words.length;
    for (let i = 0; i < words.length; i++) {
      this.numbers[i] = words[i]!.number;
      this.worths[i] = words[i]!.worth;
      this.inSessions[i] = words[i]!.inSessions;
      this.mostPassed[i] = 0;
      this.isPresent[i] = 0;
      this.isTold[i] = 0;
    }
  }

  /** A new line of so many places. Answers where it begins. Counts must be zero. */
  newLine(length: number): number {
    const start = this.lineEnd;
    this.lineEnd = start + length;
    while (this.lines.length < this.lineEnd) {
      this.lines = grown(this.lines);
      this.own = grown(this.own);
      this.windows = grown(this.windows);
    }
    while (this.inWindows.length < length) this.inWindows = grown(this.inWindows);
    const cells = length * this.wordCount;
    if (this.counts.length < cells) this.counts = new Int32Array(2 * cells);
    return start;
  }

  /** The row of a stretch, which may be new. */
  rowFor(stretch: number): number {
    const row = this.rowOf[stretch]! - 1;
    return row < 0 ? this.newRow(stretch) : row;
  }

  /** A row without words, of which it is not known yet what binds it. */
  newRow(stretch: number): number {
    const { bounds, marks, stretches } = this;
    const row = stretches.length;
    stretches.push(stretch);
    this.rowOf[stretch] = row + 1;
    bounds[row * BOUNDS + THEN] = 0;
    bounds[row * BOUNDS + ABOUT] = 0;
    marks[row * MARKS + LAST_LINK] = 0;
    marks[row * MARKS + LINE] = 0;
    return row;
  }

  /** Makes room for so many more links. */
  makeLinks(count: number): void {
    while (this.linkCount + count * LINK > this.links.length) this.links = grown(this.links);
  }

  /** Notes a word of a row: its place in the query, and the counts and bits of its place in the stretch. There must be room. */
  link(row: number, word: number, counts: number, bits: number): void {
    const { links, marks } = this;
    const link = this.linkCount;
    const last = row * MARKS + LAST_LINK;
    links[link] = word;
    links[link + 1] = counts;
    links[link + 2] = bits;
    links[link + 3] = marks[last]!;
    marks[last] = link + 1;
    this.linkCount = link + LINK;
  }

  /** Makes all zero again. */
  clear(): void {
    const { dated, saidThen, aboutThen, sessions, sessionsTouched, stretches, counts, hits } = this;
    for (let word = 0; word < this.wordCount; word++) this.sieve[this.numbers[word]! & (SIEVE - 1)] = 0;
    for (let i = 0, { items } = dated; i < dated.length; i++) {
      saidThen[items[i]!] = 0;
      aboutThen[items[i]!] = 0;
    }
    for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++) sessions[items[i]!] = 0;
    for (let i = 0, { items } = stretches; i < stretches.length; i++) this.rowOf[items[i]!] = 0;
    this.linkCount = 0;
    this.lineEnd = 0;
    for (let i = 0, { items } = hits; i < hits.length; i++) counts[items[i]!] = 0;
    for (const list of [dated, sessionsTouched, stretches, hits, this.joined]) list.length = 0;
  }
}
