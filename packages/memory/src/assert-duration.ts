import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** Throws `INVALID_INPUT` unless the value is a number of milliseconds above 0 and not above `mostMs`; `Infinity` is a wait without end. */
export function assertDuration(argument: string, value: unknown, mostMs: number = Infinity): asserts value is number {
  if (typeof value !== 'number') throw invalidInput(argument, 'a number of milliseconds', value);
  if (value > 0 && value <= mostMs) return;
  const most = mostMs === Infinity ? '' : ` and at most ${mostMs}`;
  throw new TholeError('INVALID_INPUT', `${argument} must be more than 0${most} milliseconds.`);
}
