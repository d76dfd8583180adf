/**
 * Returns the wait of a `retry-after` header in milliseconds: seconds or an HTTP date. Undefined without a valid value.
 * Same as `readRetryAfter` of core, of which this package uses types only. A test compares the two.
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (!header) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  // The shape is checked first, because engines accept almost any text as a date.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.round(date - now * 1000));
}
