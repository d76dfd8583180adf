import type { RecallIndex } from '../index/recall-index.ts';
import { scorePhrases } from './score-phrases.ts';
import type { QueryWord } from './query-words.ts';
import type { Query } from './read-query.ts';
import { scoreWindows, WindowBm25 } from './score-windows.ts';
import type { ScoringScratch } from './scoring-scratch.ts';
import { signalValues } from './signal-values.ts';
import { BINARY_SIGNAL_MAXIMA, SIGNALS } from './signals.ts';
import type { RecallSignal, RecallTuning, RecallWeights } from './signals.ts';

/** Upper bounds are summed in another order than scores, so rounding may make them too small by this amount. */
const ROUNDING_ERROR = 1e-9;
/** Signals that do not make a turn a candidate: a turn with only these is not a result. */
const MODIFIERS: readonly RecallSignal[] = ['session', 'askedAbout', 'phrase', 'whenOrHowMany', 'isQuestion'];
/** Signals whose largest value in a session is known before its turns are scored. */
const BY_SESSION: readonly RecallSignal[] = ['ownWords', 'neighbourhood', 'session', 'answer'];

/** A signal that has a weight, and a value for some turn. It adds `factor` times its value to a score. */
interface ActiveSignal {
  readonly name: RecallSignal;
  readonly factor: number;
  readonly valueOf: (slot: number) => number;
  /** False for a signal in `MODIFIERS`. */
  readonly makesCandidate: boolean;
}

/** Scores the turns of sessions, and computes an upper bound for each session before its turns are scored. */
export class SessionScorer {
  readonly #index: RecallIndex;
  readonly #words: readonly QueryWord[];
  readonly #scratch: ScoringScratch;
  readonly #signals: readonly ActiveSignal[];
  readonly #windowBm25: WindowBm25;
  readonly #hasWindows: boolean;

  constructor(
    index: RecallIndex,
    query: Query,
    words: readonly QueryWord[],
    { weights }: RecallTuning,
    scratch: ScoringScratch,
  ) {
    this.#index = index;
    this.#words = words;
    this.#scratch = scratch;
    this.#windowBm25 = new WindowBm25(index.turns);
    this.#hasWindows = weights.neighbourhood !== 0;
    if (weights.phrase !== 0 && words.length > 1) scorePhrases(index, words, scratch);
    const values = signalValues(index, query, scratch);
    const largest = this.#largestValues(weights);
    this.#signals = SIGNALS.flatMap((name) => {
      const valueOf = values[name];
      if (weights[name] === 0 || !valueOf || !(largest[name] > 0)) return [];
      return [{ name, factor: weights[name] / largest[name], valueOf, makesCandidate: !MODIFIERS.includes(name) }];
    });
    this.#writeUpperBounds(largest);
  }

  /** Writes the scores of a session's candidates to `scratch.scores` and calls `onCandidate` for each score above 0. */
  scoreTurns(session: number, onCandidate: (slot: number) => void): void {
    if (this.#hasWindows) this.#readWindows(session);
    const { scores, scoredSlots } = this.#scratch;
    const signals = this.#signals;
    for (const slot of this.#index.turns.ofSession(session)) {
      let score = 0;
      let isCandidate = false;
      for (let i = 0; i < signals.length; i++) {
        const { factor, valueOf, makesCandidate } = signals[i]!;
        const value = valueOf(slot);
        if (value === 0) continue;
        if (makesCandidate) isCandidate = true;
        score += factor * value;
      }
      if (!isCandidate || score <= 0) continue;
      scores[slot] = score;
      scoredSlots.push(slot);
      onCandidate(slot);
    }
  }

  /** Returns each signal's part of a turn's score. */
  explain(slot: number): { [signal in RecallSignal]?: number } {
    const explanation: { [signal in RecallSignal]?: number } = {};
    for (const { name, factor, valueOf } of this.#signals) {
      const added = factor * valueOf(slot);
      if (added !== 0) explanation[name] = added;
    }
    return explanation;
  }

  /** Returns the largest value of each signal over all turns. Signals with the values 0 and 1 always have 1. */
  #largestValues(weights: RecallWeights): RecallWeights {
    const { turns } = this.#index;
    const { ownWords, matchedSlots, matchedSessions, sessions, maxOwn, maxAnswered, datedSlots } = this.#scratch;
    const { phrases, saidThen, aboutThen } = this.#scratch;
    const isReply = (slot: number): boolean => {
      const previous = turns.previousOf[slot]!;
      return previous >= 0 && turns.authors[previous] !== turns.authors[slot];
    };
    return {
      ownWords: largestOf(matchedSessions, (session) => maxOwn[session]!),
      neighbourhood: this.#hasWindows ? this.#largestWindow() : 0,
      session: largestOf(matchedSessions, (session) => sessions[session]!),
      answer: largestOf(matchedSessions, (session) => maxAnswered[session]!),
      questionAhead:
        weights.questionAhead === 0 ? 0 : largestOf(matchedSlots, (slot) => (isReply(slot) ? ownWords[slot]! : 0)),
      phrase: weights.phrase === 0 ? 0 : largestOf(matchedSlots, (slot) => phrases[slot]!),
      saidThen: largestOf(datedSlots, (slot) => saidThen[slot]!),
      aboutThen: largestOf(datedSlots, (slot) => aboutThen[slot]!),
      ...BINARY_SIGNAL_MAXIMA,
    };
  }

  /** Returns the largest window score. Reads sessions with high upper bounds first, until no other session can have a larger score. */
  #largestWindow(): number {
    const { maxWindow, matchedSessions } = this.#scratch;
    let largest = 0;
    let highest = -1;
    for (const session of matchedSessions)
      if (highest < 0 || maxWindow[session]! > maxWindow[highest]!) highest = session;
    if (highest >= 0) largest = this.#readWindows(highest);
    const rest = matchedSessions.filter((session) => maxWindow[session]! > largest - ROUNDING_ERROR);
    rest.sort((a, b) => maxWindow[b]! - maxWindow[a]!);
    for (const session of rest) {
      if (maxWindow[session]! < largest - ROUNDING_ERROR) break;
      largest = Math.max(largest, this.#readWindows(session));
    }
    return largest;
  }

  /** Returns the largest window score of a session, and writes the window scores of its turns to `scratch.windows`. */
  #readWindows(session: number): number {
    const { hasWindows, maxWindow } = this.#scratch;
    if (hasWindows[session] === 0) {
      hasWindows[session] = 1;
      maxWindow[session] = scoreWindows(this.#index, this.#words, this.#windowBm25, session, this.#scratch);
    }
    return maxWindow[session]!;
  }

  /** Writes the upper bound of the scores in each session to `scratch.upperBounds`. */
  #writeUpperBounds(largest: RecallWeights): void {
    const { upperBounds, matchedSessions, sessions, maxOwn, maxAnswered, maxWindow } = this.#scratch;
    const factors = new Map(this.#signals.map(({ name, factor }) => [name, factor]));
    const factorOf = (name: RecallSignal): number => Math.max(0, factors.get(name) ?? 0);
    const ownWords = factorOf('ownWords');
    const window = factorOf('neighbourhood');
    const session = factorOf('session');
    const answer = factorOf('answer');
    let rest = ROUNDING_ERROR;
    for (const name of SIGNALS) if (!BY_SESSION.includes(name)) rest += factorOf(name) * largest[name];
    for (const at of matchedSessions) {
      upperBounds[at] =
        rest +
        ownWords * maxOwn[at]! +
        window * Math.min(maxWindow[at]!, largest.neighbourhood) +
        session * sessions[at]! +
        answer * maxAnswered[at]!;
    }
  }
}

function largestOf(list: readonly number[], valueOf: (item: number) => number): number {
  let largest = 0;
  for (let i = 0; i < list.length; i++) largest = Math.max(largest, valueOf(list[i]!));
  return largest;
}
