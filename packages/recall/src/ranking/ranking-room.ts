import { grown } from '../index/grown.ts';
import { SlotList } from './slot-list.ts';

const column = (): Float64Array => new Float64Array(64);

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
  /** By stretch: 1 where a turn may be a candidate, 2 where its turns were read. */
  states: Uint8Array = new Uint8Array(64);
  readonly stretches: SlotList = new SlotList();
  /** By place in `stretches`: no turn in it scores more. */
  bounds: Float64Array = column();
  /** By the last digits of a word's number: its place in the query, and one, if it may be that word. */
  readonly sieve: Int32Array = new Int32Array(SIEVE);
  /** Of the stretch at hand, by word and place in its line, the turns before it first: how often in the turn, and in its window. */
  counts: Int32Array = new Int32Array(1024);
  inWindows: Int32Array = new Int32Array(1024);
  /** By stretch: how often the word at hand stands in it and around it. */
  countsAround: Int32Array = new Int32Array(64);
  readonly aroundAtHand: SlotList = new SlotList();

  #cells = 0;

  makeRoom(p: { slots: number; sessions: number; stretches: number }): void {
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
      this.mostOwn = grown(this.mostOwn);
      this.mostAsked = grown(this.mostAsked);
      this.mostWindow = grown(this.mostWindow);
      this.mostAhead = grown(this.mostAhead);
      this.mostPhrase = grown(this.mostPhrase);
      this.mostThen = grown(this.mostThen);
      this.mostAbout = grown(this.mostAbout);
      this.states = grown(this.states);
      this.countsAround = grown(this.countsAround);
    }
  }

  /** Room in `counts` and `inWindows`. What was there before is zero again. */
  makeLines(cells: number): void {
    this.#cells = Math.max(this.#cells, cells);
    if (this.counts.length >= cells) return;
    this.counts = new Int32Array(2 * cells);
    this.inWindows = new Int32Array(2 * cells);
  }

  touch(stretch: number): void {
    if (this.states[stretch] !== 0) return;
    this.states[stretch] = 1;
    this.stretches.push(stretch);
  }

  /** Makes all zero again. */
  clear(): void {
    const { dated, saidThen, aboutThen, sessions, sessionsTouched, stretches } = this;
    for (let i = 0, { items } = dated; i < dated.length; i++) {
      saidThen[items[i]!] = 0;
      aboutThen[items[i]!] = 0;
    }
    for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++) sessions[items[i]!] = 0;
    this.#clearStretches();
    this.counts.fill(0, 0, this.#cells);
    this.inWindows.fill(0, 0, this.#cells);
    this.#cells = 0;
    for (const list of [dated, sessionsTouched, stretches]) list.length = 0;
  }

  #clearStretches(): void {
    const { stretches, states, turnBits, mostOwn, mostAsked, mostWindow, mostPhrase, mostThen, mostAbout } = this;
    const isDated = this.dated.length > 0;
    for (let i = 0, { items } = stretches; i < stretches.length; i++) {
      const stretch = items[i]!;
      states[stretch] = 0;
      turnBits[stretch] = 0;
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
