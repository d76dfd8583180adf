import { redact } from '@thole/core/kit';

/** Returns an error with the name and the texts of another one, without its members and without the secrets. */
export function withoutSecrets(error: unknown, secrets: readonly string[], detail: string = reasonOf(error)): Error {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const kept = new Error(redact(detail === '' ? message : `${message}: ${detail}`, secrets));
  kept.name = name;
  return kept;
}

/** Returns the text below `fetch failed`, such as `connect ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
}
