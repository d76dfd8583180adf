import { TholeError } from './thole-error.ts';

/** Returns the code of an error, or the name of its class, for logs. Messages are not logged: they may contain private text. */
export function errorCodeOf(error: unknown): string {
  if (TholeError.is(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
