/** The last second of Google's timestamps in microseconds: the end of the year 9999. */
const LAST_MICROS = 253_402_300_799_000_000;

/** Returns microseconds since the epoch for seconds, within the range of Google's timestamps. */
export function toMicros(seconds: number): number {
  return Math.min(Math.max(0, Math.round(seconds * 1e6)), LAST_MICROS);
}

/** Returns microseconds as an RFC 3339 time. */
export function formatMicros(micros: number): string {
  const milliseconds = new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(micros % 1000).padStart(3, '0')}Z`;
}

/** Returns an RFC 3339 time in microseconds since the epoch. Returns 0 for any other value. */
export function parseMicros(time: unknown): number {
  const [, seconds = '', fraction = ''] = /^(.+?)(?:\.(\d+))?(?:Z|\+00:00)$/.exec(String(time)) ?? [];
  const milliseconds = new Date(`${seconds}Z`).getTime();
  if (Number.isNaN(milliseconds)) return 0;
  return milliseconds * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** Returns an RFC 3339 time in seconds since the epoch. */
export function parseSeconds(time: unknown): number {
  return parseMicros(time) / 1e6;
}
