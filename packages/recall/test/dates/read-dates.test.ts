import { describe, expect, it } from 'vitest';
import { dayAt } from '../../src/dates/day-span.ts';
import { readDates } from '../../src/dates/read-dates.ts';
import { readRelativeDates } from '../../src/dates/read-relative-dates.ts';
import type { DaySpan } from '../../src/dates/day-span.ts';

const day = (date: string): number => dayAt(Date.parse(date) / 1000);
const format = (spans: readonly DaySpan[]): string[] =>
  spans.map(({ from, to }) => {
    const [first, last] = [from, to - 1].map((each) => new Date(each * 86_400_000).toISOString().slice(0, 10));
    return first === last ? first! : `${first} to ${last}`;
  });

describe('readDates', () => {
  it.each([
    ['on 7 May 2023', '2023-05-07'],
    ['the 7th of May, 2023', '2023-05-07'],
    ['May 7th, 2023?', '2023-05-07'],
    ['Sept. 3 2023', '2023-09-03'],
    ['2023-05-07', '2023-05-07'],
    ['in February 2024', '2024-02-01 to 2024-02-29'],
    ['summer of 2023', '2023-06-01 to 2023-08-31'],
    ['winter 2023', '2023-12-01 to 2024-02-29'],
    ['back in 2023', '2023-01-01 to 2023-12-31'],
  ])('reads the date in "%s"', (text, expected) => {
    expect(format(readDates(text, []))).toEqual([expected]);
  });

  it('reads a date without a year in each of the given years', () => {
    expect(format(readDates('on May 7', [2022, 2023]))).toEqual(['2022-05-07', '2023-05-07']);
    expect(format(readDates('during July', [2023]))).toEqual(['2023-07-01 to 2023-07-31']);
    expect(readDates('on May 7', [])).toEqual([]);
  });

  it('returns a repeated date once, as in a log', () => {
    expect(format(readDates('2023-05-07 12:01 up\n2023-05-07 12:02 down\n2023-05-08 09:00 up', []))).toEqual([
      '2023-05-07',
      '2023-05-08',
    ]);
  });

  it.each(['I may go', 'march on', '31 February 2023', 'room 2023b', 'Call 5551234', ''])(
    'reads no date in "%s"',
    (text) => {
      expect(readDates(text, [2023])).toEqual([]);
    },
  );
});

describe('readRelativeDates', () => {
  const wednesday = day('2023-05-17');

  it.each([
    ['yesterday', '2023-05-16'],
    ['the day before yesterday', '2023-05-15'],
    ['Last night we danced', '2023-05-16'],
    ['tomorrow', '2023-05-18'],
    ['last Friday', '2023-05-12'],
    ['last Wednesday', '2023-05-10'],
    ['on Monday', '2023-05-15'],
    ['next Wednesday', '2023-05-24'],
    ['this Friday', '2023-05-19'],
    ['last weekend', '2023-05-13 to 2023-05-14'],
    ['this weekend', '2023-05-20 to 2023-05-21'],
    ['last week', '2023-05-08 to 2023-05-14'],
    ['next month', '2023-06-01 to 2023-06-30'],
    ['last year', '2022-01-01 to 2022-12-31'],
    ['three days ago', '2023-05-14'],
    ['two weeks ago', '2023-04-30 to 2023-05-06'],
    ['a couple of days ago', '2023-05-15'],
    ['in 2 weeks', '2023-05-28 to 2023-06-03'],
    ['last summer', '2022-06-01 to 2022-08-31'],
    ['next winter', '2023-12-01 to 2024-02-29'],
  ])('reads "%s" relative to today', (text, expected) => {
    expect(format(readRelativeDates(text, wednesday))).toEqual([expected]);
  });

  it.each([
    ['2024-01-20', 'last winter', '2022-12-01 to 2023-02-28'],
    ['2024-02-29', 'last winter', '2022-12-01 to 2023-02-28'],
    ['2024-01-20', 'this winter', '2023-12-01 to 2024-02-29'],
    ['2024-01-20', 'next winter', '2024-12-01 to 2025-02-28'],
    ['2024-12-20', 'last winter', '2023-12-01 to 2024-02-29'],
    ['2023-05-20', 'last weekend', '2023-05-13 to 2023-05-14'],
    ['2023-05-20', 'this weekend', '2023-05-20 to 2023-05-21'],
    ['2023-05-21', 'last weekend', '2023-05-13 to 2023-05-14'],
    ['2023-05-21', 'this weekend', '2023-05-20 to 2023-05-21'],
    ['2023-05-21', 'next weekend', '2023-05-27 to 2023-05-28'],
    ['2023-05-22', 'last weekend', '2023-05-20 to 2023-05-21'],
  ])('reads on %s "%s" as %s', (today, text, expected) => {
    expect(format(readRelativeDates(text, day(today)))).toEqual([expected]);
  });

  it.each(['0001-01-01', '0068-09-01', '1969-12-31', '9999-12-31'])('reads times relative to %s', (today) => {
    const year = Number(today.slice(0, 4));
    for (const text of ['last year', 'last winter', 'last march', 'next june', 'this month']) {
      const [span] = readRelativeDates(text, day(today));
      expect([text, Math.abs(span!.from - day(today)) < 800]).toEqual([text, true]);
    }
    expect(readDates('on May 7', [year])).toHaveLength(1);
    expect(Math.abs(readDates('on May 7', [year])[0]!.from - day(today))).toBeLessThan(366);
  });

  it('reads every season, month, week and weekend on every day, and "last" as one that has ended', () => {
    const units = 'spring summer fall autumn winter january february december week month year weekend sunday'.split(
      ' ',
    );
    const isRight = (which: string, today: number, span: DaySpan | undefined): boolean => {
      if (!span || span.from >= span.to) return false;
      return /last|past/.test(which) ? span.to <= today : which === 'this' || span.from > today;
    };
    const wrong: string[] = [];
    for (let today = day('2023-12-01'); today < day('2025-01-01'); today++) {
      for (const which of ['last', 'past', 'this', 'next', 'coming']) {
        for (const unit of units) {
          const [span] = readRelativeDates(`${which} ${unit}`, today);
          if (!isRight(which, today, span)) wrong.push(`${which} ${unit} on day ${today}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['in the last two weeks', '2023-05-03 to 2023-05-16'],
    ['over the past 3 days', '2023-05-14 to 2023-05-16'],
    ['these last few months', '2023-02-16 to 2023-05-16'],
    ['the last couple of years', '2021-05-17 to 2023-05-16'],
  ])('reads "%s" as the days before today', (text, expected) => {
    expect(format(readRelativeDates(text, wednesday))).toEqual([expected]);
  });

  it('reads each expression once', () => {
    expect(format(readRelativeDates('the day before yesterday, and yesterday', wednesday))).toEqual([
      '2023-05-15',
      '2023-05-16',
    ]);
  });

  it('ignores words that only look like times', () => {
    expect(readRelativeDates('the last straw, next door, in a row', wednesday)).toEqual([]);
  });
});
