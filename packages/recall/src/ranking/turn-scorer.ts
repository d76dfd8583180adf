import { REACH } from '../index/windows.ts';
import { sessionParts, turnParts, windowParts } from './bm25-parts.ts';
import type { TextKinds } from './bm25-parts.ts';
import { boundLeftOut, boundRows } from './bound-rows.ts';
import { joinSessions } from './join-sessions.ts';
import { partWords } from './part-words.ts';
import type { WordParts } from './part-words.ts';
import { queryWords } from './query-words.ts';
import type { QueryWord } from './query-words.ts';
import { ASKED, BOUNDS, FIRST, LAST, LINE, MARKS, OWN, SCORE, WINDOW } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';
import { largestSession, scoreJoined, scoreNamedSessions } from './score-sessions.ts';
import { scoreTimes } from './score-times.ts';
import { SIGNALS } from './signals.ts';
import type { RecallSignal, RecallTuning } from './signals.ts';
import { boundScores, findLargest, ROUNDING, settleJoined } from './stretch-bounds.ts';
import { StretchReader } from './stretch-reader.ts';
import { takeWords } from './take-words.ts';
import { TurnValues } from './turn-values.ts';

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
  readonly #words: readonly QueryWord[];
  readonly #kinds: TextKinds;
  /** Words that were looked for only in sessions that have a telling one as well. */
  #common: readonly number[];
  #rest = 0;
  readonly #values: TurnValues;

  constructor(index: RecallIndex, query: Query, { weights, bm25 }: RecallTuning, room: RankingRoom) {
    const { turns } = index;
    room.makeRoom({
      slots: turns.capacity,
      sessions: index.sessions.length,
      stretches: turns.stretches.end,
      words: query.words.length,
    });
    this.#index = index;
    this.#turns = turns;
    this.#room = room;
    this.#query = query;
    const { largest } = room;
    for (let i = 0; i < SIGNALS.length; i++) room.weights[i] = weights[SIGNALS[i]!];
    // Whether it is about somebody, of the right kind, a question: these are there or not.
    for (let i = 0; i < SIGNALS.length; i++) largest[i] = i === 3 || i >= 9 ? 1 : 0;
    this.#words = queryWords(index, query.words, room);
    this.#kinds = { ofTurns: turnParts(index, bm25), ofWindows: windowParts(index), ofSessions: sessionParts(index) };
    this.#reader = new StretchReader(index, this.#words, this.#kinds, room);
    this.#values = new TurnValues(index, query, this.#words, room);
    // A session may have a name or a time that is asked for, and no telling word.
    const isOfWords = query.named.length === 0 && query.spans.length === 0;
    const all = { telling: this.#words.map((_, word) => word), common: [] };
    const parts = isOfWords ? partWords(this.#words) : all;
    this.#common = parts.common;
    this.#takeIn(parts);
    boundLeftOut(this.#kinds, parts.common, room);
  }

  /** Whether what was left out has neither one of the best, the last of which scores so much, nor the largest of anything. */
  isEnough(least: number): boolean {
    if (this.#common.length === 0) return true;
    const { leftOut, factors, largest, weights } = this.#room;
    let most = this.#rest;
    for (let i = 0; i < leftOut.length; i++) {
      if (weights[i] !== 0 && leftOut[i]! > largest[i]!) return false;
      most += factors[i]! * leftOut[i]!;
    }
    return most < least;
  }

  /** Takes in what was left out. */
  takeRest(): void {
    const telling = this.#common;
    this.#common = [];
    this.#takeIn({ telling, common: [] });
  }

  /** Rows for the sessions in which a telling word stands, what binds them, and with that the largest of all. */
  #takeIn(parts: WordParts): void {
    const index = this.#index;
    const room = this.#room;
    const query = this.#query;
    const { largest, weights } = room;
    const from = room.stretches.length;
    room.joined.length = 0;
    takeWords(this.#turns.stretches, this.#words, parts, room);
    joinSessions(this.#turns.stretches, this.#words, parts.common, room);
    if (weights[7] !== 0 || weights[8] !== 0) {
      const { saidThen, aboutThen } = scoreTimes(index, query.spans, room);
      largest[7] = saidThen;
      largest[8] = aboutThen;
    }
    boundRows(index, this.#kinds, from, room);
    if (query.named.length > 0) scoreNamedSessions(index, query, this.#kinds.ofSessions, room);
    else scoreJoined(index, this.#kinds.ofSessions, room);
    largest[2] = largestSession(room);
    settleJoined(index, room, { ahead: weights[5] !== 0, from });
    findLargest(room, (row) => this.#read(row));
    setFactors(room);
    // What turns of one stretch have as much of as those of another.
    const about = query.isAbout ? room.factors[3]! : 0;
    const kind = this.#values.kind === 0 ? 0 : room.factors[9]!;
    this.#rest = about + kind + room.factors[10]! + ROUNDING;
  }

  /** Says in `room.bounds` what no turn of each row scores more than; other stretches have no candidates. */
  bound(): void {
    boundScores(this.#index, this.#room, this.#rest);
  }

  /** Whether all that is told by the turns of a row is known. */
  isRead(row: number): boolean {
    return this.#room.marks[row * MARKS + LINE] !== 0;
  }

  /** The turns of a row that are candidates and may score as much as `least`, each with its score. */
  scoreRow(row: number, least: number, found: (slot: number, score: number) => void): void {
    const { values, largest, weights, bounds } = this.#room;
    if (!this.isRead(row)) {
      const known = this.#knownOf(row);
      const start = this.#readTurns(row);
      // Words that stand in different turns bind the stretch by more than any of its turns has.
      if (bounds[row * BOUNDS + SCORE]! - known + this.#knownOf(row) < least) return;
      this.#readWindows(row, start);
    }
    const { lines, own, windows, factors, sessions, marks, stretches, dated } = this.#room;
    const stretch = stretches.at(row);
    const inOwn = factors[0]!;
    const inWindows = factors[1]!;
    const answers = factors[4]!;
    const session = sessions[this.#turns.stretches.sessions[stretch]!]!;
    // At least what any turn has of all else.
    const rest = this.#rest + factors[2]! * session;
    const hasMore = factors[5] !== 0 || factors[6] !== 0 || factors[7] !== 0 || factors[8] !== 0;
    // Without a time, a turn whose window reaches no word is no candidate.
    const line = marks[row * MARKS + LINE]! - 1 + REACH;
    const first = dated.length === 0 ? marks[row * MARKS + FIRST]! : line;
    const last = dated.length === 0 ? marks[row * MARKS + LAST]! : line + this.#turns.stretches.sizes[stretch]! - 1;
    for (let at = first; at <= last; at++) {
      let most = rest + inOwn * own[at]!;
      if (own[at - 1] !== 0 && this.#turns.isAnswered(lines[at - 1]!)) most += answers * own[at - 1]!;
      if (inWindows !== 0) most += inWindows * windows[at]!;
      if (hasMore) most += this.#mostOfRest(at);
      if (most < least || !this.#values.read(at, session)) continue;
      let score = 0;
      for (let i = 0; i < values.length; i++) if (values[i] !== 0) score += (weights[i]! * values[i]!) / largest[i]!;
      if (score > 0) found(lines[at]!, score);
    }
  }

  /** At least what signals that most queries do not have add to a turn's score. */
  #mostOfRest(at: number): number {
    const { factors, lines, saidThen, aboutThen, largest } = this.#room;
    const slot = lines[at]!;
    let most = factors[7]! * saidThen[slot]! + factors[8]! * aboutThen[slot]!;
    if (factors[5] !== 0) most += factors[5]! * this.#values.ahead(at);
    if (factors[6] !== 0) most += factors[6]! * largest[6]!;
    return most;
  }

  /** What each signal gave to the score of a turn that was found. */
  explain(slot: number): { [signal in RecallSignal]?: number } {
    const { values, weights, largest, lines, marks, rowOf, sessions } = this.#room;
    const row = rowOf[this.#turns.stretches.of[slot]!]! - 1;
    const at = lines.indexOf(slot, marks[row * MARKS + LINE]! - 1 + REACH);
    this.#values.read(at, sessions[this.#turns.sessions[slot]!]!);
    const explanation: { [signal in RecallSignal]?: number } = {};
    SIGNALS.forEach((signal, i) => {
      if (values[i] !== 0 && weights[i] !== 0) explanation[signal] = (weights[i]! * values[i]!) / largest[i]!;
    });
    return explanation;
  }

  /** What a row is bound by in what is told by its turns alone. */
  #knownOf(row: number): number {
    const { bounds, largest, factors } = this.#room;
    const own = Math.min(largest[0]!, bounds[row * BOUNDS + OWN]!);
    const asked = Math.min(largest[4]!, bounds[row * BOUNDS + ASKED]!);
    return factors[0]! * own + factors[4]! * asked;
  }

  #read(row: number): void {
    if (!this.isRead(row)) this.#readWindows(row, this.#readTurns(row));
  }

  /** Reads the turns of a row, and says more exactly what binds it. Answers where its line begins. */
  #readTurns(row: number): number {
    const { bounds, largest } = this.#room;
    const reader = this.#reader;
    const start = reader.readTurns(row);
    bounds[row * BOUNDS + OWN] = reader.mostOwn;
    bounds[row * BOUNDS + ASKED] = reader.mostAnswered;
    if (reader.mostOwn > largest[0]!) largest[0] = reader.mostOwn;
    if (reader.mostAnswered > largest[4]!) largest[4] = reader.mostAnswered;
    if (this.#room.weights[5] !== 0 || this.#values.phraseOf) this.#readMore(row, start + REACH);
    return start;
  }

  #readMore(row: number, first: number): void {
    const { own, lines, largest, weights, stretches } = this.#room;
    const end = first + this.#turns.stretches.sizes[stretches.at(row)]!;
    for (let at = first; at < end; at++) {
      if (weights[5] !== 0) largest[5] = Math.max(largest[5]!, this.#values.ahead(at));
      if (this.#values.phraseOf && own[at] !== 0) largest[6] = Math.max(largest[6]!, this.#values.phraseOf(lines[at]!));
    }
  }

  /** Reads the windows of the row whose turns were read last; its line begins at `start`. */
  #readWindows(row: number, start: number): void {
    const { marks, bounds, largest, weights } = this.#room;
    marks[row * MARKS + LINE] = start + 1;
    const most = this.#reader.readWindows(row);
    if (weights[1] === 0) return;
    bounds[row * BOUNDS + WINDOW] = most;
    if (most > largest[1]!) largest[1] = most;
  }
}

/** What a signal's values are worth; nothing where they count against a turn. */
function setFactors({ weights, largest, factors }: RankingRoom): void {
  for (let i = 0; i < factors.length; i++)
    factors[i] = weights[i]! > 0 && largest[i]! > 0 ? weights[i]! / largest[i]! : 0;
}
