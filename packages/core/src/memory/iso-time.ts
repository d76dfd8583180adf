import type { ZonedTime } from './zoned-time.ts';

/**
 * Returns a time in seconds since the epoch as ISO 8601 text, to the second, in UTC or in the given zone. Undefined
 * if the number is not a valid time.
 */
export function isoTime(seconds: number | undefined, zone?: ZonedTime): string | undefined {
  if (zone) return zone.isoOf(seconds);
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
