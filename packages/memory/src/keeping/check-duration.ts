import { invalidInput, TholeError } from '@thole/core';

/** Timers of every platform fit into 31 bits: some 24 days. */
const MOST_MS = 2 ** 31 - 1;

/** `INVALID_INPUT` for what is no time to wait, in milliseconds; fractions are fine. */
export function checkDuration(argument: string, value: unknown): asserts value is number {
  if (typeof value !== 'number') throw invalidInput(argument, 'a number of milliseconds', value);
  if (!(value > 0 && value <= MOST_MS))
    throw new TholeError('INVALID_INPUT', `${argument} must be more than 0 and at most ${MOST_MS} milliseconds.`);
}
