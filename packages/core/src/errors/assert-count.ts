import { invalidInput } from './invalid-input.ts';
import { TholeError } from './thole-error.ts';

/** Throws `INVALID_INPUT` unless the value is an integer ≥ `least`. */
export function assertCount(argument: string, value: unknown, least: number = 0): asserts value is number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return;
  if (typeof value === 'number') throw new TholeError('INVALID_INPUT', `${argument} must be an integer ≥ ${least}.`);
  throw invalidInput(argument, `an integer ≥ ${least}`, value);
}
