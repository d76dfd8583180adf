import { TholeError } from '../errors/thole-error.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Years of four digits. */
const FIRST_MS = Date.UTC(1000, 0, 2);
const LAST_MS = Date.UTC(9999, 11, 31);

/** Wall clocks of one time zone, by the platform's own tables. */
export class ZonedTime {
  /** IANA name of the time zone. */
  readonly timeZone: string;
  readonly #format: Intl.DateTimeFormat;

  /** `INVALID_INPUT` for what names no time zone; `argument` is how the caller calls it. */
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
   * When clocks here show a time, which is given as if it were UTC's; both in milliseconds since the epoch. The first time where
   * they show it twice; as much later as clocks go forward where they skip it.
   */
  instantOf(wallMs: number): number {
    const before = this.#offsetMs(wallMs - DAY_MS);
    const after = this.#offsetMs(wallMs + DAY_MS);
    const early = wallMs - before;
    const late = wallMs - after;
    return this.#offsetMs(early) !== before && this.#offsetMs(late) === after ? late : early;
  }

  /**
   * Seconds since the epoch as clocks here show them, to the second, with the offset: ISO 8601. In UTC before the year 1000 and
   * after 9999; undefined for what is no time.
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

  /** Returns the seconds by which clocks here are ahead of UTC at a time in seconds since the epoch. */
  offsetAt(seconds: number): number {
    return this.#offsetMs(Math.floor(seconds) * 1000) / 1000;
  }

  #offsetMs(ms: number): number {
    // Other years are written in ways that nobody could read back, and nobody's clocks are known for them.
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
