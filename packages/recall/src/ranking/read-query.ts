import type { Analyzer } from '../analyzer/analyzer.ts';
import { plainWords } from '../analyzer/split-words.ts';
import { plainTokens } from '../index/plain-tokens.ts';
import { dayAt } from '../time/day-span.ts';
import type { DaySpan } from '../time/day-span.ts';
import { readDates } from '../time/read-dates.ts';
import { readRelativeDates } from '../time/read-relative-dates.ts';
import { speakOfTime } from '../time/spans-in.ts';
import { whoIsAskedAbout } from './who-is-asked-about.ts';
import type { Authors } from './authors.ts';

/** What a query asks for. */
export interface Query {
  /** Each once, without the names of people who speak here unless there is nothing else. */
  words: readonly string[];
  /** Authors whose name is in the query. */
  named: readonly number[];
  /** Words of such names that are none of `words`. */
  nameWords: readonly string[];
  /** Whether the query is about the author of a turn; undefined where it names nobody. */
  isAbout: ((author: number) => boolean) | undefined;
  /** When: the days that the query names. */
  spans: readonly DaySpan[];
  asksWhen: boolean;
  asksHowMany: boolean;
}

const WHEN =
  /^\W*(?:(?:so|and|do you (?:know|remember)),? )?(?:since )?(?:when\b|(?:what|which|on what|on which|in which|in what) (?:date|day|month|year|time|week)\b)|\bhow long\b/i;
const HOW_MANY = /\bhow (?:many|much|old|often)\b|\bwhat number\b/i;
/** Whoever asks when or how many says one of these. */
const ASKING: ReadonlySet<string> = new Set(['when', 'what', 'which', 'how']);

/** Takes a query apart. `years` are those of the memory, asked for where a date lacks one; `now` is in seconds. */
export function readQuery(
  text: string,
  p: { analyzer: Analyzer; authors: Authors; years: () => readonly number[]; now: number | undefined },
): Query {
  const asked = new Set(p.analyzer.words(text, 'query'));
  const all = [...asked];
  const named: number[] = [];
  const names = new Set<string>();
  for (const { author, isPerson, words } of p.authors.present()) {
    if (words.length === 0 || !words.some((word) => asked.has(word))) continue;
    named.push(author);
    if (isPerson) for (const word of words) names.add(word);
  }
  const telling = names.size === 0 ? all : all.filter((word) => !names.has(word));
  const words = telling.some((word) => !word.startsWith('~')) ? telling : all;
  const plain = plainWords(text);
  // A number with letters at it is none that a question or a date is told by.
  const tokens = plain ?? plainTokens(text);
  const asks = tokens.some((token) => ASKING.has(token));
  return {
    words,
    named,
    nameWords: words === all ? [] : all.filter((word) => names.has(word)),
    isAbout: whoIsAskedAbout(text, plain, p.authors),
    spans: spansOf(text, tokens, p),
    asksWhen: asks && WHEN.test(text),
    asksHowMany: asks && HOW_MANY.test(text),
  };
}

function spansOf(
  text: string,
  tokens: readonly string[],
  p: { years: () => readonly number[]; now: number | undefined },
): DaySpan[] {
  const { relative, date } = speakOfTime(tokens);
  const spans = date ? readDates(text, p.years()) : [];
  if (p.now !== undefined && relative) spans.push(...readRelativeDates(text, dayAt(p.now)));
  return spans;
}
