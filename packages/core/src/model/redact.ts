/** Shorter ones would tear holes into ordinary words. */
const SHORTEST_SECRET = 6;

/** The text without the secrets that stand in it. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    redacted = redacted.replaceAll(secret, '[redacted]').replaceAll(encodeURIComponent(secret), '[redacted]');
  }
  return redacted;
}
