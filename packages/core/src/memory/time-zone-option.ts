import { invalidInput } from '../errors/invalid-input.ts';
import type { UserRef } from '../session/session-service.ts';
import type { ReadonlyState } from '../state/state.ts';
import { ZonedTime } from './zoned-time.ts';

/**
 * The user's time zone: an IANA name for all users, or a function that returns the name for one user. `state` is the state of the
 * session, for calls during a run. Without a name the time zone is UTC.
 */
export type TimeZoneOption =
  | string
  | ((
      user: UserRef & { readonly state?: ReadonlyState | undefined },
    ) => string | undefined | Promise<string | undefined>);

/** Returns the time zone of a user; undefined means UTC. Throws `INVALID_INPUT` if the option's function returns no time zone name. */
export type TimeZoneReader = (
  user: UserRef & { readonly state?: ReadonlyState | undefined },
) => Promise<ZonedTime | undefined>;

/** Returns the reader of a `timeZone` option. Throws `INVALID_INPUT` unless the option is undefined, a time zone name or a function. */
export function createTimeZoneReader(option: unknown): TimeZoneReader {
  if (option === undefined) return async () => undefined;
  if (typeof option === 'string') {
    const zone = new ZonedTime(option);
    return async () => zone;
  }
  if (typeof option !== 'function') throw invalidInput('timeZone', 'a string or a function', option);
  const nameOf = option as Exclude<TimeZoneOption, string>;
  return async ({ appName, userId, state }) => {
    const name: unknown = await nameOf({ appName, userId, ...(state && { state }) });
    if (name === undefined) return undefined;
    if (typeof name !== 'string') throw invalidInput('The result of timeZone', 'a string or undefined', name);
    return new ZonedTime(name, 'The result of timeZone');
  };
}
