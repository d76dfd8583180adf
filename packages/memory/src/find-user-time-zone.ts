import { errorCodeOf } from '@thole/core/kit';
import type { Runtime, UserRef, ZonedTime } from '@thole/core';
import type { TimeZoneReader } from '@thole/core/kit';

/** Returns the user's time zone. If it cannot be read, logs a warning and returns undefined, which means UTC. */
export async function findUserTimeZone(
  user: UserRef,
  readTimeZone: TimeZoneReader,
  runtime: Runtime,
): Promise<ZonedTime | undefined> {
  try {
    return await readTimeZone(user);
  } catch (error) {
    const fields = { appName: user.appName, code: errorCodeOf(error) };
    runtime.logger.warn("The user's time zone could not be read; UTC is used.", fields);
    return undefined;
  }
}
