import { grown } from '../index/grown.ts';
import { SIGNALS } from './signals.ts';
import { SlotList } from './slot-list.ts';

const column = (): Float64Array => new Float64Array(64);
const signals = (): Float64Array => new Float64Array(SIGNALS.length);

/** Bounds are told apart to one part in so many. */
export const LEVELS = 64;

/** Words of the query are sought among all with so small a table that it is always at hand; what it lets through is looked at. */
export const SIEVE = 2048;

/** Columns that a ranking works in, kept from one search to the next; all zero in between but for those of turns. */
export class RankingRoom {
  /** By slot, good in stretches of which `states` says so: BM25 of the turn's own words, and of the window around it. */
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
  /** By stretch: the turns in which a word may stand, as `bitOf` says. */
  turnBits: Int32Array = new Int32Array(64);
  /** By stretch: no turn in it has more of these. */
  mostOwn: Float64Array = column();
  mostAsked: Float64Array = column();
  mostWindow: Float64Array = column();
  mostAhead: Float64Array = column();
  mostPhrase: Float64Array = column();
  mostThen: Float64Array = column();
  mostAbout: Float64Array = column();
  /** What stands where, as `noteWord` says: links, how many there are, and by stretch the last of its own. */
  links: Int32Array = new Int32Array(1024);
  linkCount = 0;
  lastLinks: Int32Array = new Int32Array(64);
  /** By stretch: 1 where a turn may be a candidate, 2 where its turns were read. */
  states: Uint8Array = new Uint8Array(64);
  readonly stretches: SlotList = new SlotList();
  /** By place in `stretches`: no turn in it scores more; and places with many levels of that, see `byBound`. */
  bounds: Float64Array = column();
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
  /** By stretch: how often the word at hand stands in it and around it. */
  countsAround: Int32Array = new Int32Array(64);
  readonly aroundAtHand: SlotList = new SlotList();

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
    while (this.states.length < p.stretches) {
      this.turnBits = grown(this.turnBits);
      this.lastLinks = grown(this.lastLinks);
      this.mostOwn = grown(this.mostOwn);
      this.mostAsked = grown(this.mostAsked);
      this.mostWindow = grown(this.mostWindow);
      this.mostAhead = grown(this.mostAhead);
      this.mostPhrase = grown(this.mostPhrase);
      this.mostThen = grown(this.mostThen);
      this.mostAbout = grown(this.mostAbout);
      this.states = grown(this.states);
      this.bounds = grown(this.bounds);
      this.order = grown(this.order);
      this.countsAround = grown(this.countsAround);
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

  touch(stretch: number): void {
    if (this.states[stretch] !== 0) return;
    this.states[stretch] = 1;
    this.stretches.push(stretch);
  }

  /** Makes all zero again. */
  clear(): void {
    const { dated, saidThen, aboutThen, sessions, sessionsTouched, stretches, counts, hits } = this;
    for (let i = 0, { items } = dated; i < dated.length; i++) {
      saidThen[items[i]!] = 0;
      aboutThen[items[i]!] = 0;
    }
    for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++) sessions[items[i]!] = 0;
    this.#clearStretches();
    this.linkCount = 0;
    for (let i = 0, { items } = hits; i < hits.length; i++) counts[items[i]!] = 0;
    for (const list of [dated, sessionsTouched, stretches, hits]) list.length = 0;
  }

  #clearStretches(): void {
    const { stretches, states, turnBits, lastLinks, mostOwn, mostAsked, mostWindow, mostPhrase, mostThen, mostAbout } = this;
    const isDated = this.dated.length > 0;
    for (let i = 0, { items } = stretches; i < stretches.length; i++) {
      const stretch = items[i]!;
      states[stretch] = 0;
      turnBits[stretch] = 0;
      lastLinks[stretch] = 0;
      mostOwn[stretch] = 0;
      mostAsked[stretch] = 0;
      mostWindow[stretch] = 0;
      mostPhrase[stretch] = 0;
      if (!isDated) continue;
      mostThen[stretch] = 0;
      mostAbout[stretch] = 0;
    }
  }
}
