import type { Json } from '../json/json.ts';

/** Shorter ones would tear holes into ordinary words. */
const SHORTEST_SECRET = 6;

/** The text without the secrets that stand in it; one of fewer than 6 characters is left where it is. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  // The longest first: one may be the beginning of another.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length < SHORTEST_SECRET) break;
    redacted = redacted
      .replaceAll(secret, '[redacted]')
      .replaceAll(encodeURIComponent(secret.toWellFormed()), '[redacted]');
  }
  return redacted;
}

/** The same of everything that stands in a value, names of members included. */
export function redactJson<T extends Json>(value: T, secrets: readonly string[]): T {
  const clean = (each: Json): Json => {
    if (typeof each === 'string') return redact(each, secrets);
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(clean);
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [redact(name, secrets), clean(member)]));
  };
  return clean(value) as T;
}
