/** Explanations of signals, by the names that this project's memory services use. */
const REASONS: { readonly [signal: string]: string } = {
  ownWords: 'It has words of the query',
  neighbourhood: 'The turn right before or after has words of the query',
  session: 'Its conversation has words of the query',
  askedAbout: 'It is by or about the person that the query asks about',
  answer: 'It answers a question with words of the query',
  questionAhead: 'The next turn has words of the query',
  phrase: 'It has words of the query next to each other',
  saidThen: 'It was said at the time that the query names',
  aboutThen: 'It mentions the time that the query names',
  whenOrHowMany: 'The query asks for a time or number, and it has one',
  isQuestion: 'It is a question itself, which counts against it',
  cosine: 'Its meaning is similar to the query',
};

/** One reason why a memory was found. */
export interface Reason {
  text: string;
  /** Contribution to the score. */
  value: number;
}

/** Returns the reasons why a memory was found, strongest first. An unknown signal is returned under its name. */
export function reasonsOf(explanation: { readonly [signal: string]: number }): Reason[] {
  return Object.entries(explanation)
    .toSorted(([, a], [, b]) => b - a)
    .map(([signal, value]) => ({ text: Object.hasOwn(REASONS, signal) ? REASONS[signal]! : signal, value }));
}
