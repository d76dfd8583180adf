import { redact } from '@thole/core/kit';

/** Returns a copy of an error with its name and message only. Secrets in the message are replaced. */
export function redactError(error: unknown, secrets: readonly string[], detail: string = reasonOf(error)): Error {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const copy = new Error(redact(detail === '' ? message : `${message}: ${detail}`, secrets));
  copy.name = name;
  return copy;
}

/** Returns the message of the cause, such as `connect ECONNREFUSED`: `fetch` itself reports only `fetch failed`. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
}
