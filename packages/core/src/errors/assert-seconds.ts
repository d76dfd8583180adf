import { invalidInput } from './invalid-input.ts';
import { TholeError } from './thole-error.ts';

/** The end of the year 9999 in seconds. The same number of milliseconds is in the year 1978. */
export const MAX_SECONDS = 253_402_300_799;

/**
 * Throws `INVALID_INPUT` unless the value is a time in seconds since the epoch, at the latest in the year 9999. A later time is
 * one in milliseconds, such as `Date.now()`, which as seconds would delete all data or wait forever.
 */
export function assertSeconds(argument: string, value: unknown): asserts value is number {
  if (!Number.isFinite(value)) throw invalidInput(argument, 'a finite number of seconds', value);
  if ((value as number) <= MAX_SECONDS) return;
  const message = `${argument} must be a time in seconds since the epoch, got a number that is too large. Divide milliseconds by 1,000.`;
  throw new TholeError('INVALID_INPUT', message);
}
