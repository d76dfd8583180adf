import { TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';

/** Returns an error for invalid arguments. The command prints the sentence and exits with code 2. */
export function usageError(sentence: string): TholeError {
  return new TholeError('INVALID_INPUT', sentence, { details: { usage: true } });
}

/** Throws a usage error unless the value of an option is a valid name. */
export function assertNameOption(option: string, value: string): void {
  try {
    assertName(option, value);
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

/** Returns the result of a function that reads arguments. Converts its `INVALID_INPUT` errors to usage errors. */
export async function withUsageErrors<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw TholeError.is(error, 'INVALID_INPUT') ? usageError(error.message) : error;
  }
}

/** True for an error of `usageError`. */
export function isUsageError(error: unknown): boolean {
  return TholeError.is(error, 'INVALID_INPUT') && error.details?.['usage'] === true;
}
