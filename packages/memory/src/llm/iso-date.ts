import { isoTime } from '@thole/core/kit';
import type { ZonedTime } from '@thole/core';

/**
 * Returns a time in seconds since the epoch as ISO 8601 text for a model, to the minute, in UTC or in the given zone. Returns
 * `an unknown time` if it is not a valid time.
 */
export function isoMinute(seconds: number | undefined, zone?: ZonedTime): string {
  return isoTime(seconds, zone)?.replace(/:\d\d(?=Z|[+-])/, '') ?? 'an unknown time';
}

const ISO = /^\d{4}(?:-\d{2}(?:-\d{2}(T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?)?)?$/;

/**
 * Returns the seconds of an ISO year, month, day or time. A year, month or day starts in the given zone, or in UTC. Undefined for
 * other texts and for days that do not exist, which `Date.parse` reads as a day of the next month.
 */
export function secondsOf(text: unknown, zone?: ZonedTime): number | undefined {
  const match = typeof text === 'string' ? ISO.exec(text) : null;
  if (!match) return undefined;
  const milliseconds = Date.parse(match[0]);
  const day = match[0].slice(0, 10);
  if (Number.isNaN(milliseconds) || !new Date(day).toISOString().startsWith(day)) return undefined;
  return (match[1] === undefined && zone ? zone.instantOf(milliseconds) : milliseconds) / 1000;
}
