import { monthAt, monthSpan, weekdayAt } from './day-span.ts';
import type { DaySpan } from './day-span.ts';
import { findSpans, wholeWords } from './find-spans.ts';
import type { DatePattern } from './find-spans.ts';

const NUMBERS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ eleven: 11, twelve: 12, couple: 2, few: 3, several: 4 },
};
const COUNT = `(?:a )?(\\d{1,3}|${Object.keys(NUMBERS).join('|')})(?: of)?`;
const UNIT = '(day|week|month|year)s?';
const WEEKDAYS: readonly string[] = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const MONTHS: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');
const SEASONS: readonly string[] = ['spring', 'summer', 'fall', 'winter'];
const DAYS: Readonly<Record<string, number>> = {
  ...{ yesterday: -1, 'last night': -1, today: 0, tonight: 0, 'this morning': 0, 'this afternoon': 0 },
  ...{ 'this evening': 0, tomorrow: 1 },
};
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };

const PATTERNS: readonly DatePattern<number>[] = [
  [wholeWords('the day before yesterday'), (_, today) => oneDay(today - 2)],
  [wholeWords('the day after tomorrow'), (_, today) => oneDay(today + 2)],
  [wholeWords(`(${Object.keys(DAYS).join('|')})`), ([word], today) => oneDay(today + DAYS[word!]!)],
  [wholeWords('the other day'), (_, today) => ({ from: today - 7, to: today })],
  [wholeWords(`(?:last|past) ${COUNT} ${UNIT}`), ([count, unit], today) => daysBefore(today, count!, unit!)],
  [wholeWords(`${COUNT} ${UNIT} ago`), ([count, unit], today) => around(today, -numberOf(count!), unit!)],
  [wholeWords(`in ${COUNT} ${UNIT}`), ([count, unit], today) => around(today, numberOf(count!), unit!)],
  [wholeWords(`${COUNT} ${UNIT} from now`), ([count, unit], today) => around(today, numberOf(count!), unit!)],
  [
    wholeWords(`(?:(last|past|this|next|coming|on) )(${WEEKDAYS.join('|')})`),
    ([which, weekday], today) => oneDay(weekdayNear(today, WEEKDAYS.indexOf(weekday!), which!)),
  ],
  [wholeWords('(last|past|this|next|coming) weekend'), ([which], today) => weekend(today, directionOf(which!))],
  [
    wholeWords('(last|past|this|next|coming) (week|month|year)'),
    ([which, unit], today) => wholeUnit(today, directionOf(which!), unit!),
  ],
  [
    wholeWords(`(last|past|this|next|coming) (${MONTHS.join('|')})(?!,? \\d)`),
    ([which, month], today) => monthNear(today, MONTHS.indexOf(month!), directionOf(which!)),
  ],
  [
    wholeWords('(last|past|this|next|coming) (spring|summer|fall|autumn|winter)'),
    ([which, season], today) =>
      seasonNear(today, SEASONS.indexOf(season!.replace('autumn', 'fall')), directionOf(which!)),
  ],
];

/** Returns the days that relative dates in an English text mean on `today`: "yesterday", "last Friday", "two weeks ago". */
export function readRelativeDates(text: string, today: number): DaySpan[] {
  return findSpans(text, PATTERNS, today);
}

function oneDay(day: number): DaySpan {
  return { from: day, to: day + 1 };
}

function numberOf(word: string): number {
  return NUMBERS[word] ?? Number(word);
}

/** Returns the direction of "last", "this" and "next": -1, 0 or 1. */
function directionOf(which: string): number {
  if (which === 'this') return 0;
  return which === 'last' || which === 'past' ? -1 : 1;
}

/** Returns a span around a day some units away, with half a unit on each side, because such expressions are approximate. */
function around(today: number, count: number, unit: string): DaySpan {
  const days = UNIT_DAYS[unit]!;
  const middle = today + count * days;
  const reach = days >> 1;
  return { from: middle - reach, to: middle + reach + 1 };
}

/** Returns the days before today: "the last two weeks". */
function daysBefore(today: number, count: string, unit: string): DaySpan {
  return { from: today - Math.max(1, numberOf(count)) * UNIT_DAYS[unit]!, to: today };
}

function weekdayNear(today: number, weekday: number, which: string): number {
  const ahead = (weekday - weekdayAt(today) + 7) % 7;
  if (which === 'this' || which === 'next' || which === 'coming') return today + (ahead === 0 ? 7 : ahead);
  return today + (ahead === 0 ? -7 : ahead - 7);
}

/** Returns the weekend of the previous or the current week, or the next weekend that begins. Weeks begin on Monday. */
function weekend(today: number, direction: number): DaySpan {
  const current = today + 5 - ((weekdayAt(today) + 6) % 7);
  const isNow = current <= today;
  const saturday = current + (direction < 0 ? -7 : direction > 0 && isNow ? 7 : 0);
  return { from: saturday, to: saturday + 2 };
}

/** Returns a whole week, month or year. Weeks begin on Monday. */
function wholeUnit(today: number, direction: number, unit: string): DaySpan {
  const { year, month } = monthAt(today);
  if (unit === 'month') return monthSpan(year, month + direction);
  if (unit === 'year') return monthSpan(year + direction, 0, 12);
  const monday = today - ((weekdayAt(today) + 6) % 7) + 7 * direction;
  return { from: monday, to: monday + 7 };
}

/** Returns the month of that name that ended last, the one of this year, or the one that begins next. */
function monthNear(today: number, month: number, direction: number): DaySpan {
  const { year } = monthAt(today);
  if (direction === 0) return monthSpan(year, month);
  const spans = [year - 1, year, year + 1].map((each) => monthSpan(each, month));
  return direction < 0 ? spans.findLast((span) => span.to <= today)! : spans.find((span) => span.from > today)!;
}

function seasonNear(today: number, season: number, direction: number): DaySpan {
  const { year } = monthAt(today);
  // A winter ends in the following year, so in January the last winter that has ended began two years before.
  const spans = [year - 2, year - 1, year, year + 1].map((each) => monthSpan(each, 2 + 3 * season, 3));
  if (direction < 0) return spans.findLast((span) => span.to <= today)!;
  return spans.find((span) => (direction === 0 ? span.to > today : span.from > today))!;
}
