import type { Json } from '../json/json.ts';

/** Shorter secrets would remove parts of ordinary words. */
const SHORTEST_SECRET = 6;

/** Returns the text without the secrets in it. Secrets with fewer than 6 characters stay. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  // Longest first: one secret may be the beginning of another.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length < SHORTEST_SECRET) break;
    redacted = redacted
      .replaceAll(secret, '[redacted]')
      .replaceAll(encodeURIComponent(secret.toWellFormed()), '[redacted]');
  }
  return redacted;
}

/** Returns the value without secrets in any text, including names of members. */
export function redactJson<T extends Json>(value: T, secrets: readonly string[]): T {
  const clean = (each: Json): Json => {
    if (typeof each === 'string') return redact(each, secrets);
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(clean);
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [redact(name, secrets), clean(member)]));
  };
  return clean(value) as T;
}
