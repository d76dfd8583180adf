/** A span of days in days since the epoch, UTC: `from` is inclusive, `to` exclusive. */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

const DAY_SECONDS = 86_400;
const YEAR_10_000 = 253_402_300_800;

/** Returns each span once, so that a log with the same date in each line takes no longer than one date. */
export function uniqueSpans(spans: DaySpan[]): DaySpan[] {
  if (spans.length < 2) return spans;
  return [...new Map(spans.map((span) => [`${span.from} ${span.to}`, span])).values()];
}

/** Returns the day of a time in seconds, in days since the epoch. */
export function dayAt(seconds: number): number {
  return Math.floor(seconds / DAY_SECONDS);
}

/** True if a time in seconds is before the year 10,000. Times that were passed in milliseconds are not. */
export function isOnCalendar(seconds: number): boolean {
  return Math.abs(seconds) < YEAR_10_000;
}

/** Returns the day of a date, with months from 0. Undefined for a date that does not exist. */
export function dayOf(year: number, month: number, day: number): number | undefined {
  const candidate = dayNumber(year, month, day);
  return monthAt(candidate).month === month ? candidate : undefined;
}

/** Returns the span of whole months from the given month (from 0). Months below 0 and above 11 are in other years. */
export function monthSpan(year: number, month: number, months: number = 1): DaySpan {
  return { from: dayNumber(year, month, 1), to: dayNumber(year, month + months, 1) };
}

// Not `Date.UTC`, which reads the years 0 to 99 as 1900 to 1999.
function dayNumber(year: number, month: number, day: number): number {
  return dayAt(new Date(0).setUTCFullYear(year, month, day) / 1000);
}

/** Returns the year and month (from 0) of a day. */
export function monthAt(day: number): { year: number; month: number } {
  const date = new Date(day * DAY_SECONDS * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() };
}

/** Returns the weekday of a day; 0 is Sunday. */
export function weekdayAt(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}
