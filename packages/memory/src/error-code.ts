import { TholeError } from '@thole/core';

/** Returns what may be logged about an error: its code, or the name of its class. Messages may contain private text. */
export function errorCodeOf(error: unknown): string {
  if (TholeError.is(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
