import type { Analyzer } from '../analysis/analyzer.ts';
import { isVariant } from '../analysis/analyzer.ts';
import type { DaySpan } from '../dates/day-span.ts';
import { readDates } from '../dates/read-dates.ts';
import { readRelativeDates } from '../dates/read-relative-dates.ts';
import { detectTimeWords } from '../dates/read-day-spans.ts';
import { asksAboutPast } from '../dates/asks-about-past.ts';
import type { Authors } from '../index/authors.ts';
import { latinTokens } from '../analysis/latin-tokens.ts';
import { findQuerySubject } from './find-query-subject.ts';
import type { QuerySubject } from './find-query-subject.ts';

/** A query, prepared for the ranking. */
export interface Query {
  /** Each word once. Names of authors are left out unless the query has no other words. */
  words: readonly string[];
  /** Authors whose name is in the query. */
  namedAuthors: readonly number[];
  /** Words of author names that are not in `words`. */
  nameWords: readonly string[];
  subject: QuerySubject | undefined;
  /** The days that the query names, on the user's calendar. */
  spans: readonly DaySpan[];
  /** Converts the start of a day on the user's calendar to UTC. Default: the calendar is UTC. */
  toUtc?: Today['toUtc'] | undefined;
  asksWhen: boolean;
  asksHowMany: boolean;
}

/** The properties of a memory that `readQuery` needs. */
export interface QueryContext {
  analyzer: Analyzer;
  authors: Authors;
  /** The years of the memory, for dates without a year. */
  years: () => readonly number[];
  /** The current day. Relative dates are read only if it is given. */
  today: Today | undefined;
  isChat: boolean;
}

/** A calendar day in some time zone. */
export interface Today {
  /** Days since the epoch on that zone's calendar. */
  day: number;
  /** Returns the time at which a day of that zone starts, in days since the epoch in UTC. Default: the zone is UTC. */
  toUtc?: ((day: number) => number) | undefined;
}

const WHEN =
  /^\W*(?:(?:so|and|do you (?:know|remember)),? )?(?:since )?(?:when\b|(?:what|which|on what|on which|in which|in what) (?:date|day|month|year|time|week)\b)|\bhow long\b/i;
const HOW_MANY = /\bhow (?:many|much|old|often)\b|\bwhat number\b/i;

/** Returns a query's words, authors, subject and times. */
export function readQuery(text: string, context: QueryContext): Query {
  const unique = new Set(context.analyzer.words(text, 'query'));
  const all = [...unique];
  const namedAuthors: number[] = [];
  const names = new Set<string>();
  for (const { author, isPerson, words } of context.authors.namedAuthors()) {
    if (!words.some((word) => unique.has(word))) continue;
    namedAuthors.push(author);
    if (isPerson) for (const word of words) names.add(word);
  }
  const others = all.filter((word) => !names.has(word));
  const words = others.some((word) => !isVariant(word)) ? others : all;
  return {
    words,
    namedAuthors,
    nameWords: words === all ? [] : all.filter((word) => names.has(word)),
    subject: findQuerySubject(text, context.authors, context),
    spans: spansOf(text, context),
    toUtc: context.today?.toUtc,
    asksWhen: WHEN.test(text),
    asksHowMany: HOW_MANY.test(text),
  };
}

/**
 * Returns the days that a query names. Relative dates count only in a question about the past without another date, and
 * only if they end before today. "today" and "this week" occur in many messages that are not about memories of that day.
 */
function spansOf(text: string, { years, today }: QueryContext): DaySpan[] {
  const { relative, date } = detectTimeWords(latinTokens(text));
  const spans = date ? readDates(text, years()) : [];
  if (spans.length === 0 && relative && today !== undefined && asksAboutPast(text))
    spans.push(...readRelativeDates(text, today.day).filter(({ to }) => to <= today.day));
  return spans;
}
