import { TholeError } from '@thole/core';

/** Throws `INVALID_INPUT` unless the value is a secret of at least `minLength` characters without white space. */
export function assertSecret(argument: string, value: unknown, minLength = 1): asserts value is string {
  if (typeof value !== 'string' || value.length < minLength || /\s/.test(value))
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} must be a string of at least ${minLength} characters without white space.`,
    );
}
