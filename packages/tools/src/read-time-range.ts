import { TholeError } from '@thole/core';
import type { MemoryFilter, ZonedTime } from '@thole/core';

/** A time range from the model: days, months, years, or days with a time. An empty text means no limit. */
export interface TimeRange {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Returns the range in seconds, `from` inclusive and `to` exclusive. Times without an offset are read in the zone,
 * or in UTC. A day, month or year as the end is included completely. Throws `INVALID_INPUT` with the member that
 * cannot be read, as a refused call.
 */
export function readTimeRange(range: TimeRange, zone: ZonedTime | undefined): Pick<MemoryFilter, 'from' | 'to'> {
  const from = range.from?.trim() ? readTime('from', range.from, zone).begin : undefined;
  const to = range.to?.trim() ? readTime('to', range.to, zone).end : undefined;
  if (from !== undefined && to !== undefined && from >= to) throw refused('from must be before to.');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

const SPAN = /^[1-9]\d{3}(?:-\d\d){0,2}$/;
const TIME = /^([1-9]\d{3}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-][01]\d:?[0-5]\d)?$/i;

function readTime(member: 'from' | 'to', text: string, zone: ZonedTime | undefined): { begin: number; end: number } {
  const [written, offset] = SPAN.exec(text.trim()) ?? TIME.exec(text.trim())?.slice(1) ?? [];
  if (written === undefined) throw notATime(member);
  const fields = written.split(/[-T: ]/i).map(Number);
  const wall = wallOf(fields);
  // A day or hour that does not exist was moved to the next one.
  if (!new Date(wall).toISOString().startsWith(written.toUpperCase().replace(' ', 'T'))) throw notATime(member);
  const seconds = (wallMs: number): number =>
    offset === undefined && zone ? zone.instantOf(wallMs) / 1000 : wallMs / 1000 - secondsOf(offset);
  const isSpan = fields.length <= 3;
  const next = isSpan ? wallOf(fields.with(-1, fields.at(-1)! + 1)) : wall;
  return { begin: seconds(wall), end: seconds(next) };
}

function wallOf([year, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  return Date.UTC(year!, month - 1, day, hour, minute, second);
}

/** Returns the seconds of `Z`, `+02:00` or `-0330`. */
function secondsOf(offset: string = 'Z'): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

function notATime(member: 'from' | 'to'): TholeError {
  return refused(
    `${member} must be a day such as 2026-05-31, a month (2026-05), a year (2026), or a day with a time (2026-05-31T18:00).`,
  );
}

function refused(message: string): TholeError {
  return new TholeError('INVALID_INPUT', message, { details: { refused: true } });
}
