import { TholeError } from '@thole/core';

/** What was typed cannot be meant: told in this sentence, and the command ends with 2. */
export function usageError(sentence: string): TholeError {
  return new TholeError('INVALID_INPUT', sentence, { details: { usage: true } });
}

/** Whether an error is one of `usageError`. */
export function isUsageError(error: unknown): boolean {
  return TholeError.is(error, 'INVALID_INPUT') && error.details?.['usage'] === true;
}
