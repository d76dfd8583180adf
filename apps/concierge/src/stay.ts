import { ZonedTime } from '@thole/core';
import { z } from 'zod';

/** A stay with ISO dates. The night of `to` is not included. */
export interface Stay {
  from: string;
  to: string;
  nights: number;
}

/** Tool parameters for the dates of a stay. */
export const stayParameters = {
  from: z.string().optional().describe('First night, as YYYY-MM-DD. Default: today.'),
  nights: z.number().int().optional().describe('How many nights, 1 to 30. Default: 1.'),
};

const DAY_SECONDS = 86_400;
const MAX_NIGHTS = 30;

/**
 * Returns a function that converts seconds since the epoch to an ISO date in a time zone. The instruction and the tools
 * use it.
 */
export function createDateFormat(timeZone: string): (seconds: number) => string {
  const zone = new ZonedTime(timeZone);
  return (seconds) => zone.isoOf(seconds)!.slice(0, 10);
}

/** Returns the date N days later. Undefined for an invalid date. */
export function addDays(date: string, days: number): string | undefined {
  const time = Date.parse(`${date}T00:00:00Z`) / 1000;
  // Some invalid dates are read as the beginning of the next month.
  if (Number.isNaN(time) || utcDateOf(time) !== date) return undefined;
  return utcDateOf(time + days * DAY_SECONDS);
}

const utcDateOf = createDateFormat('UTC');

/** Returns the requested stay, or an error message. Default: one night from today. */
export function readStay(p: { from?: string | undefined; nights?: number | undefined; today: string }): Stay | string {
  const { from = p.today, nights = 1 } = p;
  if (!Number.isInteger(nights) || nights < 1 || nights > MAX_NIGHTS) return `nights must be 1 to ${MAX_NIGHTS}.`;
  const to = addDays(from, nights);
  if (to === undefined) return 'The date must be an existing day as YYYY-MM-DD.';
  if (from < p.today) return `A stay cannot begin in the past: today is ${p.today}.`;
  return { from, to, nights };
}

/** True if two stays share a night. */
export function overlap(a: Pick<Stay, 'from' | 'to'>, b: Pick<Stay, 'from' | 'to'>): boolean {
  return a.from < b.to && b.from < a.to;
}
