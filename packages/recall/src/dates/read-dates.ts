import { dayOf, monthSpan } from './day-span.ts';
import type { DaySpan } from './day-span.ts';
import { findSpans, wholeWords } from './find-spans.ts';
import type { DatePattern } from './find-spans.ts';

const MONTHS: readonly string[] = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const FULL_MONTH = '(january|february|march|april|may|june|july|august|september|october|november|december)';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';
const SEASONS: readonly string[] = ['spring', 'summer', 'fall', 'winter'];

// Longer patterns come first. The years are used if the text does not name a year.
const PATTERNS: readonly DatePattern<readonly number[]>[] = [
  [wholeWords(`${YEAR}-(\\d\\d)-(\\d\\d)`), ([year, month, day]) => days([Number(year)], Number(month) - 1, day!)],
  [
    wholeWords(`${DAY}(?: of)? ${MONTH},? ${YEAR}`),
    ([day, month, year]) => days([Number(year)], monthOf(month!), day!),
  ],
  [wholeWords(`${MONTH} ${DAY},? ${YEAR}`), ([month, day, year]) => days([Number(year)], monthOf(month!), day!)],
  [wholeWords(`${MONTH}(?: of)?,? ${YEAR}`), ([month, year]) => [monthSpan(Number(year), monthOf(month!))]],
  [wholeWords(`${MONTH} ${DAY}`), ([month, day], years) => days(years, monthOf(month!), day!)],
  [wholeWords(`${DAY}(?: of)? ${MONTH}`), ([day, month], years) => days(years, monthOf(month!), day!)],
  [
    wholeWords(`(?:in|of|during|late|early|mid|since|until|by|before|after) ${FULL_MONTH}`),
    ([month], years) => years.map((year) => monthSpan(year, monthOf(month!))),
  ],
  [
    wholeWords(`(spring|summer|fall|autumn|winter)(?: of)?,? ${YEAR}`),
    ([season, year]) => [monthSpan(Number(year), 2 + 3 * SEASONS.indexOf(season!.replace('autumn', 'fall')), 3)],
  ],
  [wholeWords(YEAR), ([year]) => [monthSpan(Number(year), 0, 12)]],
];

/**
 * Returns the dates in an English text: days, months, seasons (of the northern hemisphere) and years, also `2024-05-07`. A date
 * without a year is read in each of `years`.
 */
export function readDates(text: string, years: readonly number[]): DaySpan[] {
  return findSpans(text, PATTERNS, years);
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3));
}

function days(years: readonly number[], month: number, day: string): DaySpan[] {
  return years.flatMap((year) => {
    const from = dayOf(year, month, Number(day));
    return from === undefined ? [] : [{ from, to: from + 1 }];
  });
}
