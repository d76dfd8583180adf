import type { Json } from '../json/json.ts';

/** Shorter secrets are not redacted, because they occur in ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** Replaces all secrets in a text with `[redacted]`. Secrets with fewer than 6 characters stay. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  // Longest first: one secret may be the beginning of another.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length < MIN_SECRET_LENGTH) break;
    redacted = redacted
      .replaceAll(secret, '[redacted]')
      .replaceAll(encodeURIComponent(secret.toWellFormed()), '[redacted]');
  }
  return redacted;
}

/** Returns a copy of the value in which all texts and names of members are redacted. */
export function redactJson<T extends Json>(value: T, secrets: readonly string[]): T {
  const clean = (each: Json): Json => {
    if (typeof each === 'string') return redact(each, secrets);
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(clean);
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [redact(name, secrets), clean(member)]));
  };
  return clean(value) as T;
}
