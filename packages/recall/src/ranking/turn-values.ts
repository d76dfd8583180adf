import { ENDS_ASKING, TELLS_NUMBER, TELLS_TIME } from '../index/turn-flags.ts';
import type { QueryWord } from './query-words.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';
import { phraseScorer } from './score-phrases.ts';

/** What each signal says of a turn whose line was read; turns are named by their places in `room.lines`. */
export class TurnValues {
  /** Which turns tell what is asked for, a time or a number: their flags. */
  readonly kind: number;
  /** How many words of the query stand side by side in a turn; undefined where that counts nothing. */
  readonly phraseOf: ((slot: number) => number) | undefined;
  readonly #turns: RecallIndex['turns'];
  readonly #query: Query;
  readonly #room: RankingRoom;

  constructor(index: RecallIndex, query: Query, words: readonly QueryWord[], room: RankingRoom) {
    this.kind = (query.asksWhen ? TELLS_TIME : 0) | (query.asksHowMany ? TELLS_NUMBER : 0);
    this.phraseOf = room.weights[6] === 0 ? undefined : phraseScorer(index, words);
    this.#turns = index.turns;
    this.#query = query;
    this.#room = room;
  }

  /** Whether the turn, of a session with that score, is a candidate; its values are in `room.values`. */
  read(at: number, session: number): boolean {
    const { isAbout } = this.#query;
    const { values, weights, lines, own, windows, dated, saidThen, aboutThen } = this.#room;
    const { flags, authors } = this.#turns;
    const slot = lines[at]!;
    values[0] = own[at]!;
    values[1] = weights[1] === 0 ? 0 : windows[at]!;
    values[4] = weights[4] === 0 ? 0 : this.#answered(at);
    values[5] = weights[5] === 0 ? 0 : this.ahead(at);
    // Most queries name no time, and what is not looked at need not be fetched.
    values[7] = dated.length === 0 ? 0 : saidThen[slot]!;
    values[8] = dated.length === 0 ? 0 : aboutThen[slot]!;
    if (values[0] === 0 && values[1] === 0 && values[4] === 0 && values[5] === 0 && values[7] === 0 && values[8] === 0)
      return false;
    values[2] = session;
    values[3] = isAbout !== undefined && isAbout(authors[slot]!) ? 1 : 0;
    values[6] = this.phraseOf && values[0] !== 0 ? this.phraseOf(slot) : 0;
    values[9] = (flags[slot]! & this.kind) !== 0 ? 1 : 0;
    values[10] = (flags[slot]! & ENDS_ASKING) !== 0 ? 1 : 0;
    return true;
  }

  /** The own words of the turn before, if another author asked something in it. */
  #answered(at: number): number {
    const { own, lines } = this.#room;
    return own[at - 1] !== 0 && this.#turns.isAnswered(lines[at - 1]!) ? own[at - 1]! : 0;
  }

  /** The own words of the next turn, if another author's. */
  ahead(at: number): number {
    const { own, lines } = this.#room;
    const { authors } = this.#turns;
    return own[at + 1] === 0 || authors[lines[at + 1]!] === authors[lines[at]!] ? 0 : own[at + 1]!;
  }
}
