import { longTexts, shortTexts } from '../index/bm25.ts';
import type { Bm25Weights } from '../index/bm25.ts';

/** The weight of each signal in a turn's score. */
export interface RecallWeights {
  /** Query words in the turn. */
  ownWords: number;
  /** Query words in the turn and four neighbours on each side; nearer turns count more. */
  neighbourhood: number;
  /** Query words in the session, including the names of its authors. */
  session: number;
  /** The query is about the turn's author. */
  askedAbout: number;
  /** Query words in the previous turn, if it is a question by another author. */
  answer: number;
  /** Query words in the next turn, if it is by another author. */
  questionAhead: number;
  /** Query words that are next to each other in the turn. */
  phrase: number;
  /** The turn is from the time in the query. */
  saidThen: number;
  /** The turn mentions the time in the query. */
  aboutThen: number;
  /** The query asks for a time or a number, and the turn has one. */
  whenOrHowMany: number;
  /** The turn ends with a question. */
  isQuestion: number;
}

/** The name of a signal: a property of a turn that changes its score. */
export type RecallSignal = keyof RecallWeights;

/** The weights of signals and the parameters of BM25 for one kind of memory. */
export interface RecallTuning {
  weights: RecallWeights;
  /** Parameters for the words of a turn. */
  bm25: Bm25Weights;
}

/** Tuning for memories whose average turn is short: people who write to each other. */
export const chatTuning: RecallTuning = {
  weights: {
    ownWords: 1,
    neighbourhood: 0.65,
    session: 0.6,
    askedAbout: 0.65,
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

/** Tuning for memories whose average turn is long: documents, long answers of an assistant. */
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

/** The tuning of each kind of memory. */
export interface RecallTunings {
  chat: RecallTuning;
  messages: RecallTuning;
  /** Largest average number of words per turn of a chat. */
  chatLength: number;
}

/** The published tunings. */
export const defaultTunings: RecallTunings = { chat: chatTuning, messages: messageTuning, chatLength: 40 };

/** All signals, in the order in which they are summed. */
export const SIGNALS: readonly RecallSignal[] = Object.keys(chatTuning.weights) as RecallSignal[];

/** Largest values of the signals that are either 0 or 1. */
export const BINARY_SIGNAL_MAXIMA = { askedAbout: 1, whenOrHowMany: 1, isQuestion: 1 } as const;
