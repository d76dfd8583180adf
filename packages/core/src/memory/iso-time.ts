import type { ZonedTime } from './zoned-time.ts';

/** Seconds since the epoch as a model reads them: ISO 8601, to the second, in UTC or on the zone's clocks. Undefined for what is no time. */
export function isoTime(seconds: number | undefined, zone?: ZonedTime): string | undefined {
  if (zone) return zone.isoOf(seconds);
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
