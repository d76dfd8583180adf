import { isoTime } from '@thole/core/kit';
import type { ZonedTime } from '@thole/core';

/**
 * Seconds since the epoch as a model reads them: ISO 8601 to the minute, in UTC or on the zone's clocks; `an unknown time` for
 * what is no time.
 */
export function isoMinute(seconds: number | undefined, zone?: ZonedTime): string {
  return isoTime(seconds, zone)?.replace(/:\d\d(?=Z|[+-])/, '') ?? 'an unknown time';
}

const ISO = /^\d{4}(?:-\d{2}(?:-\d{2}(T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?)?)?$/;

/** Seconds of an ISO year, month, day or time, or undefined for what is none. A year, month or day begins in the zone, or else in UTC. */
export function secondsOf(text: unknown, zone?: ZonedTime): number | undefined {
  const written = typeof text === 'string' ? ISO.exec(text) : null;
  if (!written) return undefined;
  const milliseconds = Date.parse(written[0]);
  if (Number.isNaN(milliseconds)) return undefined;
  return (written[1] === undefined && zone ? zone.instantOf(milliseconds) : milliseconds) / 1000;
}
