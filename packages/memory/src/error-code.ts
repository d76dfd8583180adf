import { TholeError } from '@thole/core';

/** What a log may say of an error: its code, or the name of its class. */
export function errorCodeOf(error: unknown): string {
  if (TholeError.is(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
