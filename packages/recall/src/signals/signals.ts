import { longTexts, shortTexts } from '../index/bm25.ts';
import type { Bm25Weights } from '../index/bm25.ts';

/** What speaks for a turn; see `chatWeights` for how much. */
export interface RecallWeights {
  /** The query's words in the turn itself. */
  ownWords: number;
  /** The same over the turn and its four neighbours each way, the nearer the more. */
  neighbourhood: number;
  /** The same over the whole session, its authors' names included. */
  session: number;
  /** The turn's author is the one that the query is about. */
  askedAbout: number;
  /** The own words of the turn before, where another author asked something in it. */
  answer: number;
  /** The own words of the next turn, where it is another author's. */
  questionAhead: number;
  /** Words of the query that stand side by side in the turn. */
  phrase: number;
  /** The turn was said when the query says. */
  saidThen: number;
  /** The turn speaks of the time that the query names. */
  aboutThen: number;
  /** The query asks for a time or a number, and the turn tells one. */
  whenOrHowMany: number;
  /** The turn ends with a question. */
  isQuestion: number;
}

/** The name of something that speaks for a turn. */
export type RecallSignal = keyof RecallWeights;

/** Weights of signals, and of words within them, for one kind of memory. */
export interface RecallTuning {
  weights: RecallWeights;
  /** For a turn's own words. */
  bm25: Bm25Weights;
}

/** Where the average turn is short: people who write to each other. */
export const chatTuning: RecallTuning = {
  weights: {
    ownWords: 1,
    neighbourhood: 0.6,
    session: 0.6,
    askedAbout: 0.6,
    answer: 0.6,
    questionAhead: 0,
    phrase: 0,
    saidThen: 2,
    aboutThen: 0.6,
    whenOrHowMany: 0.6,
    isQuestion: -0.1,
  },
  bm25: shortTexts,
};

/** Where the average turn is long: documents, long answers of an assistant. */
export const messageTuning: RecallTuning = {
  weights: {
    ownWords: 1,
    neighbourhood: 0,
    session: 0.1,
    askedAbout: 0.6,
    answer: 0,
    questionAhead: 0.25,
    phrase: 0.25,
    saidThen: 1.2,
    aboutThen: 0.3,
    whenOrHowMany: 0,
    isQuestion: 0,
  },
  bm25: longTexts,
};

/** Which weights apply where. */
export interface RecallTunings {
  chat: RecallTuning;
  messages: RecallTuning;
  /** Turns of at most so many words on average are chat. */
  chatLength: number;
}

export const defaultTunings: RecallTunings = { chat: chatTuning, messages: messageTuning, chatLength: 40 };

/** All of them, in the order in which they are added up. */
export const SIGNALS: readonly RecallSignal[] = [
  ...(['ownWords', 'neighbourhood', 'session', 'askedAbout', 'answer', 'questionAhead'] as const),
  ...(['phrase', 'saidThen', 'aboutThen', 'whenOrHowMany', 'isQuestion'] as const),
];

/** Signals with the values 0 and 1, with their largest value. */
export const BINARY_SIGNAL_MAXIMA = { askedAbout: 1, whenOrHowMany: 1, isQuestion: 1 } as const;
