/**
 * Returns the delay in a `retry-after` header (seconds or an HTTP date) in milliseconds. Undefined without a valid value. A copy
 * of core's `readRetryAfter`, because this package imports only types from core. A test compares the two functions.
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (!header) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  // The format is checked first, because engines accept almost any text as a date.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(header) && Date.parse(header);
  return date ? Math.max(0, Math.round(date - now * 1000)) : undefined;
}
