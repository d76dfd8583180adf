/**
 * Returns the wait that a server asks for in milliseconds: header `retry-after-ms`, or `retry-after` in seconds or
 * as an HTTP date (RFC 9110, 10.2.3). Undefined without a valid value. `now` is in seconds.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = toNumber(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const told = headers.get('retry-after');
  const seconds = toNumber(told);
  if (seconds !== undefined) return seconds * 1000;
  // The shape is checked first, because engines accept almost any text as a date.
  const date = told !== null && /^[A-Z][a-z]+, .* GMT$/.test(told) ? Date.parse(told) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.round(date - now * 1000));
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
