import { ENDS_ASKING, TELLS_NUMBER, TELLS_TIME } from '../index/turn-flags.ts';
import { boundWord, turnParts, windowParts } from './bound-words.ts';
import { knownWords } from './known-words.ts';
import { ASKED, BOUNDS, IS_READ, MARKS, OWN, SCORE, WINDOW } from './ranking-room.ts';
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

/**
 * What speaks for each turn. How often words stand in each stretch is known beforehand, and what its turns cannot exceed;
 * turns are read only in stretches where that may matter.
 */
export class TurnScorer {
  readonly #turns: RecallIndex['turns'];
  readonly #room: RankingRoom;
  readonly #query: Query;
  readonly #reader: StretchReader;
  readonly #index: RecallIndex;
  readonly #rest: number;
  readonly #phraseOf: ((slot: number) => number) | undefined;
  readonly #kind: number;

  constructor(index: RecallIndex, query: Query, { weights, bm25 }: RecallTuning, room: RankingRoom) {
    const { turns } = index;
    const words = knownWords(index, query.words);
    room.makeRoom({
      slots: turns.capacity,
      sessions: index.sessions.length,
      stretches: turns.stretches.end,
      words: words.length,
    });
    this.#index = index;
    this.#turns = turns;
    this.#room = room;
    this.#query = query;
    const { largest } = room;
    for (let i = 0; i < SIGNALS.length; i++) room.weights[i] = weights[SIGNALS[i]!];
    // Whether it is about somebody, of the right kind, a question: these are there or not.
    for (let i = 0; i < SIGNALS.length; i++) largest[i] = i === 3 || i >= 9 ? 1 : 0;
    this.#reader = new StretchReader(index, words, bm25, room);
    if (weights.phrase !== 0) this.#phraseOf = phraseScorer(index, query.words);
    this.#kind = (query.asksWhen ? TELLS_TIME : 0) | (query.asksHowMany ? TELLS_NUMBER : 0);
    const phrases = weights.phrase !== 0;
    const bounding = { ofTurns: turnParts(index, bm25), ofWindows: windowParts(index), phrases, room };
    words.forEach((known, word) => boundWord(index, known, { ...bounding, word }));
    if (weights.session !== 0) largest[2] = scoreSessions(index, { query, known: words }, room);
    if (weights.saidThen !== 0 || weights.aboutThen !== 0) {
      const { saidThen, aboutThen } = scoreTimes(index, query.spans, room);
      largest[7] = saidThen;
      largest[8] = aboutThen;
    }
    settleBounds(index, room, { ahead: weights.questionAhead !== 0, words: words.length });
    findLargest(room, (row) => this.#read(row));
    setFactors(room);
    // What turns of one stretch have as much of as those of another.
    const about = query.isAbout ? this.#room.factors[3]! : 0;
    const kind = this.#kind === 0 ? 0 : this.#room.factors[9]!;
    this.#rest = about + kind + this.#room.factors[10]! + ROUNDING;
  }

  /** Says in `room.bounds` what no turn of each row scores more than; other stretches have no candidates. */
  bound(): void {
    boundScores(this.#index, this.#room, this.#rest);
  }

  /** Whether all that is told by the turns of a row is known. */
  isRead(row: number): boolean {
    return this.#room.marks[row * MARKS + IS_READ] !== 0;
  }

  /** The turns of a row that are candidates and may score as much as `least`, each with its score. */
  scoreRow(row: number, least: number, found: (slot: number, score: number) => void): void {
    const { values, largest, weights, bounds } = this.#room;
    if (!this.isRead(row)) {
      const known = this.#knownOf(row);
      this.#readTurns(row);
      // Words that stand in different turns bind the stretch by more than any of its turns has.
      if (bounds[row * BOUNDS + SCORE]! - known + this.#knownOf(row) < least) return;
      this.#readWindows(row);
    }
    const stretch = this.#room.stretches.at(row);
    const { after } = this.#turns;
    const { first, sizes } = this.#turns.stretches;
    const { own, windows } = this.#room;
    const factors = this.#room.factors;
    const inOwn = factors[0]!;
    const inWindows = factors[1]!;
    // At least what any turn has of all else.
    const rest = this.#rest + factors[2]! * this.#room.sessions[this.#turns.stretches.sessions[stretch]!]!;
    const hasMore = factors[5] !== 0 || factors[6] !== 0 || factors[7] !== 0 || factors[8] !== 0;
    const answers = factors[4]!;
    let asked = this.#turns.before[first[stretch]!]!;
    for (let left = sizes[stretch]!, slot = first[stretch]!; left > 0; left--, slot = after[slot]!) {
      let most = rest + inOwn * own[slot]!;
      if (asked >= 0 && own[asked] !== 0 && this.#turns.isAnswered(asked)) most += answers * own[asked]!;
      asked = slot;
      if (inWindows !== 0) most += inWindows * windows[slot]!;
      if (hasMore) most += this.#mostOfRest(slot);
      if (most < least || !this.#valuesOf(slot)) continue;
      let score = 0;
      for (let i = 0; i < values.length; i++) if (values[i] !== 0) score += (weights[i]! * values[i]!) / largest[i]!;
      if (score > 0) found(slot, score);
    }
  }

  /** At least what signals that most queries do not have add to a turn's score. */
  #mostOfRest(slot: number): number {
    const factors = this.#room.factors;
    const { saidThen, aboutThen } = this.#room;
    let most = factors[7]! * saidThen[slot]! + factors[8]! * aboutThen[slot]!;
    if (factors[5] !== 0) most += factors[5]! * this.#ahead(slot);
    if (factors[6] !== 0) most += factors[6]! * this.#room.largest[6]!;
    return most;
  }

  /** What each signal gave to a turn's score. */
  explain(slot: number): { [signal in RecallSignal]?: number } {
    this.#valuesOf(slot);
    const explanation: { [signal in RecallSignal]?: number } = {};
    SIGNALS.forEach((signal, i) => {
      const value = this.#room.values[i]!;
      if (value !== 0 && this.#room.weights[i] !== 0) explanation[signal] = (this.#room.weights[i]! * value) / this.#room.largest[i]!;
    });
    return explanation;
  }

  /** Whether the turn, of a stretch that was read, is a candidate; its values are in the order of SIGNALS. */
  #valuesOf(slot: number): boolean {
    const values = this.#room.values;
    const weights = this.#room.weights;
    const turns = this.#turns;
    const { isAbout } = this.#query;
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

  /** What a row is bound by in what is told by its turns alone. */
  #knownOf(row: number): number {
    const { bounds, largest, factors } = this.#room;
    const own = Math.min(largest[0]!, bounds[row * BOUNDS + OWN]!);
    const asked = Math.min(largest[4]!, bounds[row * BOUNDS + ASKED]!);
    return factors[0]! * own + factors[4]! * asked;
  }

  #read(row: number): void {
    if (this.isRead(row)) return;
    this.#readTurns(row);
    this.#readWindows(row);
  }

  /** Reads the turns of a row, and says more exactly what binds it. */
  #readTurns(row: number): void {
    const { bounds, largest, weights, stretches } = this.#room;
    const reader = this.#reader;
    reader.readTurns(row);
    bounds[row * BOUNDS + OWN] = reader.mostOwn;
    bounds[row * BOUNDS + ASKED] = reader.mostAnswered;
    if (reader.mostOwn > largest[0]!) largest[0] = reader.mostOwn;
    if (reader.mostAnswered > largest[4]!) largest[4] = reader.mostAnswered;
    if (weights[5] !== 0 || this.#phraseOf) this.#readMore(stretches.at(row));
  }

  #readMore(stretch: number): void {
    const { own, largest, weights } = this.#room;
    const { after } = this.#turns;
    const { first, sizes } = this.#turns.stretches;
    for (let left = sizes[stretch]!, slot = first[stretch]!; left > 0; left--, slot = after[slot]!) {
      if (weights[5] !== 0) largest[5] = Math.max(largest[5]!, this.#ahead(slot));
      if (this.#phraseOf && own[slot] !== 0) largest[6] = Math.max(largest[6]!, this.#phraseOf(slot));
    }
  }

  /** Reads the windows of the row whose turns were read last. */
  #readWindows(row: number): void {
    const { marks, bounds, largest, weights } = this.#room;
    marks[row * MARKS + IS_READ] = 1;
    if (weights[1] === 0) return;
    const most = this.#reader.readWindows(row);
    bounds[row * BOUNDS + WINDOW] = most;
    if (most > largest[1]!) largest[1] = most;
  }
}

/** What a signal's values are worth; nothing where they count against a turn. */
function setFactors({ weights, largest, factors }: RankingRoom): void {
  for (let i = 0; i < factors.length; i++)
    factors[i] = weights[i]! > 0 && largest[i]! > 0 ? weights[i]! / largest[i]! : 0;
}
