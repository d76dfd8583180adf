import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/**
 * Throws `INVALID_INPUT` unless the value is a secret of at least `minLength` characters without white space. `details.option` is
 * the argument.
 */
export function assertSecret(argument: string, value: unknown, minLength = 1): asserts value is string {
  const length = minLength === 1 ? '1 character' : `${minLength} characters`;
  const expected = `a string of at least ${length} without white space`;
  const details = { option: argument };
  if (typeof value !== 'string')
    throw new TholeError('INVALID_INPUT', invalidInput(argument, expected, value).message, { details });
  if (value.length < minLength || /\s/.test(value))
    throw new TholeError('INVALID_INPUT', `${argument} must be ${expected}.`, { details });
}
