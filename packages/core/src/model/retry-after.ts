/**
 * Returns the waiting time that a server requests, in milliseconds: the header `retry-after-ms`, or `retry-after` in seconds
 * or as an HTTP date (RFC 9110, 10.2.3). Undefined without a valid value. `now` is in seconds since the epoch.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = toNumber(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = toNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // The shape is checked first, because engines accept almost any text as a date.
  const date = value !== null && /^[A-Z][a-z]+, .* GMT$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.round(date - now * 1000));
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
