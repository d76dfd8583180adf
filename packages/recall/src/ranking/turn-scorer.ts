import { ENDS_ASKING, TELLS_NUMBER, TELLS_TIME } from '../index/turn-flags.ts';
import { boundWord, turnParts, windowParts } from './bound-words.ts';
import { knownWords } from './known-words.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';
import { phraseScorer } from './score-phrases.ts';
import { scoreSessions } from './score-sessions.ts';
import { scoreTimes } from './score-times.ts';
import { SIGNALS } from './signals.ts';
import type { RecallSignal, RecallTuning } from './signals.ts';
import { boundScores, findLargest, ROUNDING, settleBounds } from './stretch-bounds.ts';
import { StretchReader } from './stretch-reader.ts';

/** Of a stretch whose turns were read. */
const READ = 2;

/**
 * What speaks for each turn. How often words stand in each stretch is known beforehand, and what its turns cannot exceed;
 * turns are read only in stretches where that may matter.
 */
export class TurnScorer {
  readonly #turns: RecallIndex['turns'];
  readonly #room: RankingRoom;
  readonly #query: Query;
  readonly #weights = new Float64Array(SIGNALS.length);
  readonly #reader: StretchReader;
  readonly #index: RecallIndex;
  readonly #factors: Float64Array;
  readonly #rest: number;
  readonly #phraseOf: ((slot: number) => number) | undefined;
  readonly #kind: number;
  /** The values of the turn at hand, and the largest of all turns, as in SIGNALS. */
  readonly #values = new Float64Array(SIGNALS.length);
  readonly #largest = new Float64Array(SIGNALS.length);

  constructor(index: RecallIndex, query: Query, { weights, bm25 }: RecallTuning, room: RankingRoom) {
    const { turns } = index;
    const words = knownWords(index, query.words);
    room.makeRoom({
      slots: turns.capacity,
      sessions: index.sessions.length,
      stretches: turns.stretches.end,
    });
    this.#index = index;
    this.#turns = turns;
    this.#room = room;
    this.#query = query;
    SIGNALS.forEach((signal, i) => (this.#weights[i] = weights[signal]));
    this.#reader = new StretchReader(index, words, bm25, room);
    if (weights.phrase !== 0) this.#phraseOf = phraseScorer(index, query.words);
    // Whether it is about somebody, of the right kind, a question: these are there or not.
    for (const signal of [3, 9, 10]) this.#largest[signal] = 1;
    this.#kind = (query.asksWhen ? TELLS_TIME : 0) | (query.asksHowMany ? TELLS_NUMBER : 0);
    const phrases = weights.phrase !== 0;
    const bounding = { ofTurns: turnParts(index, bm25), ofWindows: windowParts(index), phrases, room };
    for (const word of words) boundWord(index, word, bounding);
    if (weights.session !== 0) this.#largest[2] = scoreSessions(index, query, room);
    if (weights.saidThen !== 0 || weights.aboutThen !== 0) {
      const { saidThen, aboutThen } = scoreTimes(index, query.spans, room);
      [this.#largest[7], this.#largest[8]] = [saidThen, aboutThen];
    }
    settleBounds(index, room, { ahead: weights.questionAhead !== 0, words: words.length });
    findLargest(room, this.#weights, this.#largest, (stretch) => this.#read(stretch));
    this.#factors = factorsOf(this.#weights, this.#largest);
    // What turns of one stretch have as much of as those of another.
    const [about, kind] = [query.isAbout ? this.#factors[3]! : 0, this.#kind === 0 ? 0 : this.#factors[9]!];
    this.#rest = about + kind + this.#factors[10]! + ROUNDING;
  }

  /** Says in `room.bounds` what no turn of each stretch scores more than; the others have no candidates. */
  bound(): void {
    const [factors, largest, rest] = [this.#factors, this.#largest, this.#rest];
    boundScores(this.#index, this.#room, { factors, largest, rest });
  }

  /** Whether all that is told by the turns of a stretch is known. */
  isRead(stretch: number): boolean {
    return this.#room.states[stretch] === READ;
  }

  /**
   * The turns of a stretch that are candidates and may score as much as `least`, each with its score; `bound` is what none of
   * them exceeds as far as was known.
   */
  scoreStretch(
    stretch: number,
    p: { bound: number; least: number },
    found: (slot: number, score: number) => void,
  ): void {
    const { least } = p;
    const [values, largest, weights] = [this.#values, this.#largest, this.#weights];
    const { after } = this.#turns;
    const { first, sizes } = this.#turns.stretches;
    if (this.#room.states[stretch] !== READ) {
      const known = this.#knownOf(stretch);
      this.#readTurns(stretch);
      // Words that stand in different turns bind the stretch by more than any of its turns has.
      if (p.bound - known + this.#knownOf(stretch) < least) return;
      this.#readWindows(stretch);
    }
    for (let left = sizes[stretch]!, slot = first[stretch]!; left > 0; left--, slot = after[slot]!) {
      if (this.#roughly(slot) < least || !this.#valuesOf(slot)) continue;
      let score = 0;
      for (let i = 0; i < values.length; i++) if (values[i] !== 0) score += (weights[i]! * values[i]!) / largest[i]!;
      if (score > 0) found(slot, score);
    }
  }

  /** At least a turn's score, at little cost. */
  #roughly(slot: number): number {
    const [factors, turns] = [this.#factors, this.#turns];
    const { own, windows, sessions, saidThen, aboutThen } = this.#room;
    let most = this.#rest + factors[0]! * own[slot]! + factors[2]! * sessions[turns.sessions[slot]!]!;
    if (factors[1] !== 0) most += factors[1]! * windows[slot]!;
    if (factors[4] !== 0) most += factors[4]! * this.#answered(slot);
    if (factors[5] !== 0) most += factors[5]! * this.#ahead(slot);
    if (factors[6] !== 0) most += factors[6]! * this.#largest[6]!;
    if (factors[7] !== 0) most += factors[7]! * saidThen[slot]!;
    return factors[8] === 0 ? most : most + factors[8]! * aboutThen[slot]!;
  }

  /** What each signal gave to a turn's score. */
  explain(slot: number): { [signal in RecallSignal]?: number } {
    this.#valuesOf(slot);
    const explanation: { [signal in RecallSignal]?: number } = {};
    SIGNALS.forEach((signal, i) => {
      const value = this.#values[i]!;
      if (value !== 0 && this.#weights[i] !== 0) explanation[signal] = (this.#weights[i]! * value) / this.#largest[i]!;
    });
    return explanation;
  }

  /** Whether the turn, of a stretch that was read, is a candidate; its values are in the order of SIGNALS. */
  #valuesOf(slot: number): boolean {
    const [values, weights, turns, { isAbout }] = [this.#values, this.#weights, this.#turns, this.#query];
    const { own, sessions, saidThen, aboutThen, windows } = this.#room;
    values[0] = own[slot]!;
    values[1] = weights[1] === 0 ? 0 : windows[slot]!;
    values[4] = weights[4] === 0 ? 0 : this.#answered(slot);
    values[5] = weights[5] === 0 ? 0 : this.#ahead(slot);
    values[7] = saidThen[slot]!;
    values[8] = aboutThen[slot]!;
    if (values[0] === 0 && values[1] === 0 && values[4] === 0 && values[5] === 0 && values[7] === 0 && values[8] === 0)
      return false;
    const flags = turns.flags[slot]!;
    values[2] = sessions[turns.sessions[slot]!]!;
    values[3] = isAbout !== undefined && isAbout(turns.authors[slot]!) ? 1 : 0;
    values[6] = this.#phraseOf && values[0] !== 0 ? this.#phraseOf(slot) : 0;
    values[9] = (flags & this.#kind) !== 0 ? 1 : 0;
    values[10] = (flags & ENDS_ASKING) !== 0 ? 1 : 0;
    return true;
  }

  /** The own words of the turn before, if another author asked something in it. */
  #answered(slot: number): number {
    const asked = this.#turns.before[slot]!;
    const own = asked < 0 ? 0 : this.#room.own[asked]!;
    return own !== 0 && this.#turns.isAnswered(asked) ? own : 0;
  }

  /** The own words of the next turn, if another author's. */
  #ahead(slot: number): number {
    const { after, authors } = this.#turns;
    const next = after[slot]!;
    return next < 0 || authors[next] === authors[slot] ? 0 : this.#room.own[next]!;
  }

  /** What a stretch is bound by in what is told by its turns alone. */
  #knownOf(stretch: number): number {
    const { mostOwn, mostAsked } = this.#room;
    const [own, asked] = [
      Math.min(this.#largest[0]!, mostOwn[stretch]!),
      Math.min(this.#largest[4]!, mostAsked[stretch]!),
    ];
    return this.#factors[0]! * own + this.#factors[4]! * asked;
  }

  #read(stretch: number): void {
    if (this.#room.states[stretch] === READ) return;
    this.#readTurns(stretch);
    this.#readWindows(stretch);
  }

  /** Reads the turns of a stretch, and says more exactly what binds it. */
  #readTurns(stretch: number): void {
    const { mostOwn, mostAsked } = this.#room;
    const [largest, weights, reader] = [this.#largest, this.#weights, this.#reader];
    reader.readTurns(stretch);
    mostOwn[stretch] = reader.mostOwn;
    mostAsked[stretch] = reader.mostAnswered;
    if (reader.mostOwn > largest[0]!) largest[0] = reader.mostOwn;
    if (reader.mostAnswered > largest[4]!) largest[4] = reader.mostAnswered;
    if (weights[5] !== 0 || this.#phraseOf) this.#readMore(stretch);
  }

  #readMore(stretch: number): void {
    const { own } = this.#room;
    const [largest, weights] = [this.#largest, this.#weights];
    const { after } = this.#turns;
    const { first, sizes } = this.#turns.stretches;
    for (let left = sizes[stretch]!, slot = first[stretch]!; left > 0; left--, slot = after[slot]!) {
      if (weights[5] !== 0) largest[5] = Math.max(largest[5]!, this.#ahead(slot));
      if (this.#phraseOf && own[slot] !== 0) largest[6] = Math.max(largest[6]!, this.#phraseOf(slot));
    }
  }

  /** Reads the windows of the stretch whose turns were read last. */
  #readWindows(stretch: number): void {
    const { states, mostWindow } = this.#room;
    states[stretch] = READ;
    if (this.#weights[1] === 0) return;
    mostWindow[stretch] = this.#reader.readWindows(stretch);
    this.#largest[1] = Math.max(this.#largest[1]!, mostWindow[stretch]!);
  }
}

/** What a signal's values are worth; nothing where they count against a turn. */
function factorsOf(weights: Float64Array, largest: Float64Array): Float64Array {
  return weights.map((weight, signal) => (weight > 0 && largest[signal]! > 0 ? weight / largest[signal]! : 0));
}
