import { TholeError } from '@thole/core';

/** Returns an error for invalid arguments. The command prints the sentence and exits with code 2. */
export function usageError(sentence: string): TholeError {
  return new TholeError('INVALID_INPUT', sentence, { details: { usage: true } });
}

/** True for an error of `usageError`. */
export function isUsageError(error: unknown): boolean {
  return TholeError.is(error, 'INVALID_INPUT') && error.details?.['usage'] === true;
}
