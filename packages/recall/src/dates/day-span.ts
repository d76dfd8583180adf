/** Days since the epoch, in UTC: from the first (inclusive) to the last (exclusive). */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

const SECONDS = 86_400;
const YEAR_10_000 = 253_402_300_800;

/** The day on which an instant falls, as a whole number of days since the epoch. */
export function dayAt(seconds: number): number {
  return Math.floor(seconds / SECONDS);
}

/** Whether an instant is in a year that people write: times that were given in milliseconds are in none. */
export function isOnCalendar(seconds: number): boolean {
  return Math.abs(seconds) < YEAR_10_000;
}

/** The day of a date; undefined for one that no calendar has. Months count from 0. */
export function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? dayAt(date.getTime() / 1000) : undefined;
}

/** From the first of a month on, `months` long; months under 0 and over 11 are in other years. */
export function monthSpan(year: number, month: number, months: number = 1): DaySpan {
  return {
    from: dayAt(Date.UTC(year, month, 1) / 1000),
    to: dayAt(Date.UTC(year, month + months, 1) / 1000),
  };
}

/** The calendar's year and month (from 0) of a day. */
export function monthAt(day: number): { year: number; month: number } {
  const date = new Date(day * SECONDS * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() };
}

/** 0 is Sunday. */
export function weekdayAt(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}
