/** Seconds since the epoch as a model reads them: ISO 8601 in UTC, to the second. Undefined for what is no time. */
export function isoTime(seconds: number | undefined): string | undefined {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
