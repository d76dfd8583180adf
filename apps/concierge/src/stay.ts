import { ZonedTime } from '@thole/core';

/** A stay: ISO dates, the night of `to` not included. */
export interface Stay {
  from: string;
  to: string;
  nights: number;
}

const DAY_SECONDS = 86_400;
const MAX_NIGHTS = 30;

/** Tells the date of a time in seconds on the clocks of a time zone: one day for what the model is told and for what tools check. */
export function datesIn(timeZone: string): (seconds: number) => string {
  const zone = new ZonedTime(timeZone);
  return (seconds) => zone.isoOf(seconds)!.slice(0, 10);
}

/** The date so many days later; undefined for what is no date. */
export function addDays(date: string, days: number): string | undefined {
  const time = Date.parse(`${date}T00:00:00Z`) / 1000;
  // Some dates that do not exist are read as the beginning of the next month.
  if (Number.isNaN(time) || utcDateOf(time) !== date) return undefined;
  return utcDateOf(time + days * DAY_SECONDS);
}

function utcDateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** The stay that is asked for, or what is wrong with it. Without a date it begins today, without nights it is one. */
export function readStay(p: { from?: string | undefined; nights?: number | undefined; today: string }): Stay | string {
  const { from = p.today, nights = 1 } = p;
  if (!Number.isInteger(nights) || nights < 1 || nights > MAX_NIGHTS) return `A stay has 1 to ${MAX_NIGHTS} nights.`;
  const to = addDays(from, nights);
  if (to === undefined) return 'There is no such date: write it as YYYY-MM-DD.';
  if (from < p.today) return `A stay cannot begin in the past: today is ${p.today}.`;
  return { from, to, nights };
}

/** Whether two stays share a night. */
export function overlap(a: Pick<Stay, 'from' | 'to'>, b: Pick<Stay, 'from' | 'to'>): boolean {
  return a.from < b.to && b.from < a.to;
}
