/** Seconds since the epoch as a model reads them: ISO 8601 in UTC, to the minute; `an unknown time` for what is no time. */
export function isoTime(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : `${date.toISOString().slice(0, 16)}Z`;
}

/** Seconds of an ISO year, month, date or time, or undefined for what is none. */
export function secondsOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}(-\d{2}(-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?)?)?$/.test(text))
    return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
