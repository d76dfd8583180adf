import { invalidInput } from './invalid-input.ts';
import { TholeError } from './thole-error.ts';

/** Throws `INVALID_INPUT` unless the value is an integer ≥ `min`. */
export function assertCount(argument: string, value: unknown, min: number = 0): asserts value is number {
  if (Number.isSafeInteger(value) && (value as number) >= min) return;
  if (typeof value === 'number') throw new TholeError('INVALID_INPUT', `${argument} must be an integer ≥ ${min}.`);
  throw invalidInput(argument, `an integer ≥ ${min}`, value);
}
