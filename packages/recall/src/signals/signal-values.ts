import type { RecallIndex } from '../index/recall-index.ts';
import { ABOUT_USER, ENDS_WITH_QUESTION, HAS_NUMBER, HAS_TIME } from '../index/turn-flags.ts';
import type { QuerySubject } from './find-query-subject.ts';
import type { Query } from './read-query.ts';
import type { ScoringScratch } from './scoring-scratch.ts';
import type { RecallSignal } from './signals.ts';

type SignalValues = { readonly [signal in RecallSignal]: ((slot: number) => number) | undefined };

/** Returns functions for the value of each signal for a turn, as the README defines it; undefined if it is 0 for every turn. */
export function signalValues({ turns, authors }: RecallIndex, query: Query, scratch: ScoringScratch): SignalValues {
  const { previousOf, nextOf, flags, sessions } = turns;
  const { ownWords, windows, saidThen, aboutThen } = scratch;
  const { subject } = query;
  const answerFlags = (query.asksWhen ? HAS_TIME : 0) | (query.asksHowMany ? HAS_NUMBER : 0);
  const hasTimes = query.spans.length > 0;
  return {
    ownWords: (slot) => ownWords[slot]!,
    neighbourhood: (slot) => windows[slot]!,
    session: (slot) => scratch.sessions[sessions[slot]!]!,
    askedAbout: subject === undefined ? undefined : (slot) => (isAbout(slot, subject) ? 1 : 0),
    answer: (slot) => {
      const previous = previousOf[slot]!;
      return previous >= 0 && ownWords[previous] !== 0 && turns.isAnswered(previous) ? ownWords[previous]! : 0;
    },
    questionAhead: (slot) => {
      const next = nextOf[slot]!;
      return next >= 0 && turns.authors[next] !== turns.authors[slot] ? ownWords[next]! : 0;
    },
    phrase: (slot) => scratch.phrases[slot]!,
    saidThen: hasTimes ? (slot) => saidThen[slot]! : undefined,
    aboutThen: hasTimes ? (slot) => aboutThen[slot]! : undefined,
    whenOrHowMany: answerFlags === 0 ? undefined : (slot) => ((flags[slot]! & answerFlags) !== 0 ? 1 : 0),
    isQuestion: (slot) => ((flags[slot]! & ENDS_WITH_QUESTION) !== 0 ? 1 : 0),
  };

  function isAbout(slot: number, person: QuerySubject): boolean {
    const author = turns.authors[slot]!;
    const isOfUser = authors.isUser(author) || (flags[slot]! & ABOUT_USER) !== 0;
    if (person === 'user') return isOfUser;
    if (person === 'others') return author >= 0 && !isOfUser;
    return author === person || ((flags[slot]! & ABOUT_USER) !== 0 && authors.isUser(person));
  }
}
