import { ZonedTime } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import type { MaybePromise, Runtime, UserRef } from '@thole/core';
import { errorCodeOf } from './error-code.ts';

/** The time zone of all users, by its IANA name, or what tells each user's; UTC without one, or where none is told. */
export type UsersTimeZone = string | ((user: UserRef) => MaybePromise<string | undefined>);

/** `INVALID_INPUT` for what is no time zone and tells none. */
export function assertTimeZone(value: unknown): asserts value is UsersTimeZone | undefined {
  if (value === undefined || typeof value === 'function') return;
  if (typeof value !== 'string') throw invalidInput('timeZone', 'a string or a function', value);
  void new ZonedTime(value);
}

/** The name of a user's time zone. One that is told and is none is logged and left out: nothing of memory fails by it. */
export async function timeZoneOf(
  user: UserRef,
  timeZone: UsersTimeZone | undefined,
  runtime: Runtime,
): Promise<string | undefined> {
  if (typeof timeZone !== 'function') return timeZone;
  try {
    const told = await timeZone({ appName: user.appName, userId: user.userId });
    assertTimeZone(told);
    return told;
  } catch (error) {
    runtime.logger.warn('The time zone of a user could not be told.', {
      appName: user.appName,
      code: errorCodeOf(error),
    });
    return undefined;
  }
}
