import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** Throws `INVALID_INPUT` unless the value is a secret of at least `minLength` characters without white space. */
export function assertSecret(argument: string, value: unknown, minLength = 1): asserts value is string {
  const length = minLength === 1 ? '1 character' : `${minLength} characters`;
  const expected = `a string of at least ${length} without white space`;
  if (typeof value !== 'string') throw invalidInput(argument, expected, value);
  if (value.length < minLength || /\s/.test(value))
    throw new TholeError('INVALID_INPUT', `${argument} must be ${expected}.`);
}
