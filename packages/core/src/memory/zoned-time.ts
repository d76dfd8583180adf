import { TholeError } from '../errors/thole-error.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The first year with four digits. */
const FIRST_MS = Date.UTC(1000, 0, 2);
const LAST_MS = Date.UTC(9999, 11, 31);

/** Local times of one time zone, from the platform's time zone data. */
export class ZonedTime {
  /** IANA name of the time zone. */
  readonly timeZone: string;
  readonly #format: Intl.DateTimeFormat;

  /** Throws `INVALID_INPUT` if `timeZone` is not a time zone. `argument` is the name used in the message. */
  constructor(timeZone: string, argument: string = 'timeZone') {
    try {
      this.#format = new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone });
    } catch (cause) {
      throw new TholeError('INVALID_INPUT', `${argument} must be a time zone's IANA name, such as Europe/Berlin.`, {
        cause,
      });
    }
    this.timeZone = timeZone;
  }

  /**
   * Converts a local time of the zone to an instant in milliseconds since the epoch. `wallMs` is the local time as if it
   * were UTC. If a clock change repeats the local time, returns the first instant. If a clock change skips it, returns the
   * instant that is later by the skipped span.
   */
  instantOf(wallMs: number): number {
    const before = this.#offsetMs(wallMs - DAY_MS);
    const after = this.#offsetMs(wallMs + DAY_MS);
    const early = wallMs - before;
    const late = wallMs - after;
    return this.#offsetMs(early) !== before && this.#offsetMs(late) === after ? late : early;
  }

  /**
   * Returns a time in seconds since the epoch as ISO 8601 local time of the zone, to the second, with the offset. Uses
   * UTC before the year 1000 and after 9999. Undefined if the number is not a valid time.
   */
  isoOf(seconds: number | undefined): string | undefined {
    const ms = Math.floor(seconds ?? Number.NaN) * 1000;
    if (Number.isNaN(new Date(ms).getTime())) return undefined;
    const offset = this.#offsetMs(ms);
    const wall = new Date(ms + offset).toISOString().slice(0, -5);
    if (offset === 0) return `${wall}Z`;
    const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
    const two = (value: number): string => String(value).padStart(2, '0');
    return `${wall}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  }

  /** Returns the offset of the zone from UTC at a time, both in seconds. */
  offsetAt(seconds: number): number {
    return this.#offsetMs(Math.floor(seconds) * 1000) / 1000;
  }

  #offsetMs(ms: number): number {
    // Other years cannot be parsed from the formatted parts, so their offsets are unknown.
    if (!(ms >= FIRST_MS && ms <= LAST_MS)) return 0;
    const parts = Object.fromEntries(this.#format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year, month, day, hour, minute, second } = parts as { [name: string]: number };
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  }
}

const FIELDS: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
};
