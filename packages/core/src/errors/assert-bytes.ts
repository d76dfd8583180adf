import { invalidInput } from './invalid-input.ts';

/** `INVALID_INPUT` for what limits nothing: no number, NaN, or below 0. `Infinity` is no limit. */
export function assertBytes(argument: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(value >= 0)) throw invalidInput(argument, 'a number of bytes', value);
}
