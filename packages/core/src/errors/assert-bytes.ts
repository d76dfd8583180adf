import { invalidInput } from './invalid-input.ts';

/** Throws `INVALID_INPUT` unless the value is a number of bytes ≥ 0. `Infinity` means no limit. */
export function assertBytes(argument: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !(value >= 0)) throw invalidInput(argument, 'a number of bytes', value);
}
