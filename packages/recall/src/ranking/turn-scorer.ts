import { ASKS, ENDS_ASKING, TELLS_NUMBER, TELLS_TIME } from '../index/turn-flags.ts';
import { BLOCK, blockOf } from '../index/turn-table.ts';
import { byBound } from './by-bound.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';
import { phraseScorer } from './score-phrases.ts';
import { scoreSessions } from './score-sessions.ts';
import { scoreTimes } from './score-times.ts';
import { boundWindows, knownWords, scoreOwnWords, windowScorer } from './score-words.ts';
import type { KnownWord } from './score-words.ts';
import { SIGNALS } from './signals.ts';
import type { RecallSignal, RecallTuning } from './signals.ts';

/** Bounds are added up in another order than scores, and may come out smaller by what is lost in rounding. */
const ROUNDING = 1e-9;

/**
 * What speaks for each turn. Words are counted for all; windows are read only where they may matter, since no window of a
 * block can exceed what its bound says.
 */
export class TurnScorer {
  readonly #turns: RecallIndex['turns'];
  readonly #room: RankingRoom;
  readonly #query: Query;
  readonly #weights: Float64Array;
  readonly #windowOf: ((slot: number) => number) | undefined;
  readonly #phraseOf: ((slot: number) => number) | undefined;
  readonly #kind: number;
  /** The values of the turn at hand, and the largest of all turns, as in SIGNALS. */
  readonly #values = new Float64Array(SIGNALS.length);
  readonly #largest = new Float64Array(SIGNALS.length);

  constructor(index: RecallIndex, query: Query, { weights, bm25 }: RecallTuning, room: RankingRoom) {
    const words = knownWords(index, query.words);
    room.makeRoom(index.turns.capacity, index.sessions.length, occurrencesOf(words));
    this.#turns = index.turns;
    this.#room = room;
    this.#query = query;
    this.#weights = Float64Array.from(SIGNALS, (signal) => weights[signal]);
    // These are there or not.
    for (const signal of ['askedAbout', 'whenOrHowMany', 'isQuestion'] as const)
      this.#largest[SIGNALS.indexOf(signal)] = 1;
    this.#kind = (query.asksWhen ? TELLS_TIME : 0) | (query.asksHowMany ? TELLS_NUMBER : 0);
    scoreOwnWords(index, words, bm25, room);
    if (weights.phrase !== 0) this.#phraseOf = phraseScorer(index, query.words);
    this.#readOwners();
    if (weights.session !== 0) this.#largest[2] = scoreSessions(index, query, room);
    if (weights.saidThen !== 0 || weights.aboutThen !== 0) {
      const { saidThen, aboutThen } = scoreTimes(index, query.spans, room);
      [this.#largest[7], this.#largest[8]] = [saidThen, aboutThen];
    }
    if (weights.neighbourhood === 0) return;
    boundWindows(index, words, room);
    this.#windowOf = windowScorer(index, words, room);
    this.#largest[1] = this.#largestWindow();
  }

  /** The blocks in which a turn may be a candidate, each with a number above every score in it. */
  bounds(): Float64Array {
    const { blocks } = this.#room;
    const rest = this.#restOfBound();
    const bounds = new Float64Array(blocks.length);
    for (let i = 0; i < bounds.length; i++) bounds[i] = rest + this.#boundOf(blocks.at(i));
    return bounds;
  }

  /** What no block's turns have more of than others'. */
  #restOfBound(): number {
    return (
      this.#part(2, this.#largest[2]!) +
      (this.#query.isAbout ? this.#part(3, 1) : 0) +
      (this.#phraseOf ? this.#part(6, this.#largest[6]!) : 0) +
      (this.#kind === 0 ? 0 : this.#part(9, 1)) +
      this.#part(10, 1) +
      ROUNDING
    );
  }

  #boundOf(block: number): number {
    const { blockOwn, blockNear, blockAnswer, blockAhead, blockThen, blockAbout } = this.#room;
    return (
      this.#part(0, blockOwn[block]!) +
      this.#part(1, Math.min(blockNear[block]!, this.#largest[1]!)) +
      this.#part(4, blockAnswer[block]!) +
      this.#part(5, blockAhead[block]!) +
      this.#part(7, blockThen[block]!) +
      this.#part(8, blockAbout[block]!)
    );
  }

  /** What a block's sessions leave of its bound. */
  sharpen(block: number, bound: number): number {
    const { sessions } = this.#room;
    let largest = 0;
    for (let slot = block * BLOCK, end = this.#endOf(block); slot < end; slot++)
      largest = Math.max(largest, sessions[this.#turns.sessions[slot]!]!);
    return bound - this.#part(2, this.#largest[2]!) + this.#part(2, largest);
  }

  /** The turns of a block that are candidates, each with its score. */
  scoreBlock(block: number, found: (slot: number, score: number) => void): void {
    for (let slot = block * BLOCK, end = this.#endOf(block); slot < end; slot++) {
      if (this.#turns.ids[slot] === '' || !this.#read(slot)) continue;
      const [values, largest, weights] = [this.#values, this.#largest, this.#weights];
      let score = 0;
      for (let i = 0; i < values.length; i++) if (values[i] !== 0) score += (weights[i]! * values[i]!) / largest[i]!;
      if (score > 0) found(slot, score);
    }
  }

  /** What each signal gave to a turn's score. */
  explain(slot: number): { [signal in RecallSignal]?: number } {
    this.#read(slot);
    const explanation: { [signal in RecallSignal]?: number } = {};
    SIGNALS.forEach((signal, i) => {
      const value = this.#values[i]!;
      if (value !== 0 && this.#weights[i] !== 0) explanation[signal] = (this.#weights[i]! * value) / this.#largest[i]!;
    });
    return explanation;
  }

  /** Whether the turn is a candidate; its values are in the order of SIGNALS. */
  #read(slot: number): boolean {
    const [values, turns] = [this.#values, this.#turns];
    const { own, sessions, saidThen, aboutThen } = this.#room;
    values[0] = own[slot]!;
    values[1] = this.#windowOf ? this.#windowOf(slot) : 0;
    values[4] = this.#weights[4] === 0 ? 0 : this.#answered(slot);
    values[5] = this.#weights[5] === 0 ? 0 : this.#ahead(slot);
    values[7] = saidThen[slot]!;
    values[8] = aboutThen[slot]!;
    if (values[0] === 0 && values[1] === 0 && values[4] === 0 && values[5] === 0 && values[7] === 0 && values[8] === 0)
      return false;
    const { isAbout } = this.#query;
    const flags = turns.flags[slot]!;
    values[2] = sessions[turns.sessions[slot]!]!;
    values[3] = isAbout !== undefined && isAbout(turns.authors[slot]!) ? 1 : 0;
    values[6] = this.#phraseOf && own[slot] !== 0 ? this.#phraseOf(slot) : 0;
    values[9] = (flags & this.#kind) !== 0 ? 1 : 0;
    values[10] = (flags & ENDS_ASKING) !== 0 ? 1 : 0;
    return true;
  }

  /** The own words of the turn before, if another author asked something in it. */
  #answered(slot: number): number {
    const { before, authors, flags } = this.#turns;
    const asked = before[slot]!;
    if (asked < 0 || authors[asked] === authors[slot] || (flags[asked]! & ASKS) === 0) return 0;
    return this.#room.own[asked]!;
  }

  #ahead(slot: number): number {
    const { after, authors } = this.#turns;
    const next = after[slot]!;
    return next < 0 || authors[next] === authors[slot] ? 0 : this.#room.own[next]!;
  }

  /** The largest of what can be told from the turns that have words of the query, in each block and of all. */
  #readOwners(): void {
    const { own, owners, blockOwn, blockAnswer, blockAhead } = this.#room;
    const { before, after, flags } = this.#turns;
    const [answers, asksAhead] = [this.#weights[4] !== 0, this.#weights[5] !== 0];
    for (let i = 0; i < owners.length; i++) {
      const slot = owners.at(i);
      this.#raise(blockOwn, 0, slot, own[slot]!);
      if (answers && (flags[slot]! & ASKS) !== 0 && after[slot]! >= 0)
        this.#raise(blockAnswer, 4, after[slot]!, this.#answered(after[slot]!));
      if (asksAhead && before[slot]! >= 0) this.#raise(blockAhead, 5, before[slot]!, this.#ahead(before[slot]!));
      if (this.#phraseOf) this.#largest[6] = Math.max(this.#largest[6]!, this.#phraseOf(slot));
    }
  }

  #raise(column: Float64Array, signal: number, slot: number, value: number): void {
    if (value === 0) return;
    const block = blockOf(slot);
    this.#room.touch(block);
    if (value > column[block]!) column[block] = value;
    if (value > this.#largest[signal]!) this.#largest[signal] = value;
  }

  #largestWindow(): number {
    const { blocks, blockNear } = this.#room;
    const bounds = new Float64Array(blocks.length);
    for (let i = 0; i < bounds.length; i++) bounds[i] = blockNear[blocks.at(i)]!;
    let largest = 0;
    for (const i of byBound(bounds)) {
      if (bounds[i]! + ROUNDING < largest) continue;
      const block = blocks.at(i);
      for (let slot = block * BLOCK, end = this.#endOf(block); slot < end; slot++)
        if (this.#turns.ids[slot] !== '') largest = Math.max(largest, this.#windowOf!(slot));
    }
    return largest;
  }

  #part(signal: number, value: number): number {
    const weight = this.#weights[signal]!;
    return weight > 0 && value > 0 ? (weight * value) / this.#largest[signal]! : 0;
  }

  #endOf(block: number): number {
    return Math.min((block + 1) * BLOCK, this.#turns.end);
  }
}

function occurrencesOf(words: readonly KnownWord[]): number {
  return words.reduce((sum, { postings }) => sum + postings.length, 0);
}
