import { invalidInput } from './invalid-input.ts';

/** Throws `INVALID_INPUT` unless the value is a time in seconds: a finite number. */
export function assertSeconds(argument: string, value: unknown): asserts value is number {
  if (!Number.isFinite(value)) throw invalidInput(argument, 'a finite number of seconds', value);
}
