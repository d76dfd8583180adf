import { TholeError } from '@thole/core';
import type { MemoryFilter, ZonedTime } from '@thole/core';
import { MAX_SECONDS } from '@thole/core/kit';

/** A time range from the model: days, months, years, or days with a time. An empty text means no limit. */
export interface TimeRange {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Returns the range in seconds, `from` inclusive and `to` exclusive. Times without an offset are read in the zone,
 * or in UTC. A day, month or year as the end is included completely. Throws `INVALID_INPUT` with
 * `details: {refused: true}` and the name of the invalid member.
 */
export function readTimeRange(range: TimeRange, zone: ZonedTime | undefined): Pick<MemoryFilter, 'from' | 'to'> {
  const from = range.from?.trim() ? readTime('from', range.from, zone).begin : undefined;
  // Models write the year 9999 for "no end".
  const to = range.to?.trim() ? Math.min(readTime('to', range.to, zone).end, MAX_SECONDS) : undefined;
  if (from !== undefined && to !== undefined && from >= to) throw invalidRange('from must be before to.');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** A year, month or day. */
const DATE = /^[1-9]\d{3}(?:-\d\d){0,2}$/;
const TIME = /^([1-9]\d{3}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-][01]\d:?[0-5]\d)?$/i;

function readTime(member: 'from' | 'to', text: string, zone: ZonedTime | undefined): { begin: number; end: number } {
  const [localTime, offset] = DATE.exec(text.trim()) ?? TIME.exec(text.trim())?.slice(1) ?? [];
  if (localTime === undefined) throw invalidTime(member);
  const fields = localTime.split(/[-T: ]/i).map(Number);
  const wallMs = toWallMs(fields);
  // `Date.UTC` moves a day or hour that does not exist to the next one.
  if (!new Date(wallMs).toISOString().startsWith(localTime.toUpperCase().replace(' ', 'T'))) throw invalidTime(member);
  const toSeconds = (ms: number): number =>
    offset === undefined && zone ? zone.instantOf(ms) / 1000 : ms / 1000 - secondsOf(offset);
  const isDate = fields.length <= 3;
  const endMs = isDate ? toWallMs(fields.with(-1, fields.at(-1)! + 1)) : wallMs;
  return { begin: toSeconds(wallMs), end: toSeconds(endMs) };
}

function toWallMs([year, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return Date.UTC(year!, month - 1, day, hour, minute, second);
}

/** Returns an offset such as `Z`, `+02:00` or `-0330` in seconds. */
function secondsOf(offset: string = 'Z'): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

function invalidTime(member: 'from' | 'to'): TholeError {
  return invalidRange(
    `${member} must be a day such as 2026-05-31, a month (2026-05), a year (2026), or a day with a time (2026-05-31T18:00).`,
  );
}

function invalidRange(message: string): TholeError {
  return new TholeError('INVALID_INPUT', message, { details: { refused: true } });
}
