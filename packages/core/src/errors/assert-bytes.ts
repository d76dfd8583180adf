import { invalidInput } from './invalid-input.ts';
import { TholeError } from './thole-error.ts';

/** Throws `INVALID_INPUT` unless the value is a number of bytes ≥ 0. `Infinity` means no limit. */
export function assertBytes(argument: string, value: unknown): asserts value is number {
  if (typeof value !== 'number') throw invalidInput(argument, 'a number of bytes ≥ 0, or Infinity', value);
  if (!(value >= 0)) throw new TholeError('INVALID_INPUT', `${argument} must be a number of bytes ≥ 0, or Infinity.`);
}
