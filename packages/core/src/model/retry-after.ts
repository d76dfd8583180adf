/**
 * Returns the waiting time that a server requests, in milliseconds: the header `retry-after-ms`, or `retry-after` in seconds
 * or as an HTTP date (RFC 9110, 10.2.3). Undefined without a valid value. A date counts from the response's own date, because the
 * clock of this machine may differ from the server's; without one, from `now` in seconds since the epoch.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = toNumber(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = toNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // The shape is checked first, because engines accept almost any text as a date.
  const date = value !== null && /^[A-Z][a-z]+, .* GMT$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(date)) return undefined;
  const sentAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Math.round(date - (Number.isNaN(sentAt) ? now * 1000 : sentAt)));
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
