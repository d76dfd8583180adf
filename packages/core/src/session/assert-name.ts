import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import type { SessionRef } from './session.ts';
import type { UserRef } from './session-service.ts';

/** Most bytes (UTF-8) that an app's, user's, session's or artifact's name may have. */
export const MAX_NAME_BYTES = 512;

/** `INVALID_INPUT` for what cannot be a name: not a string, empty, over 512 bytes, NUL or lone surrogates inside. */
export function assertName(argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value === '') throw new TholeError('INVALID_INPUT', `${argument} must not be empty.`);
  if (value.includes('\0')) throw new TholeError('INVALID_INPUT', `${argument} must not hold a NUL character.`);
  if (!value.isWellFormed())
    throw new TholeError('INVALID_INPUT', `${argument} must be well-formed Unicode, without lone surrogates.`);
  // Three bytes are the most that one UTF-16 unit takes, so most names need no counting.
  if (value.length * 3 > MAX_NAME_BYTES && new TextEncoder().encode(value).length > MAX_NAME_BYTES) {
    throw new TholeError('INVALID_INPUT', `${argument} must be at most ${MAX_NAME_BYTES} bytes long.`);
  }
}

/** Refuses an app or user name that is not a name, and what holds none (`INVALID_INPUT`). */
export function assertUser(p: UserRef): void {
  if (typeof p !== 'object' || p === null) throw invalidInput('The request', 'an object with appName and userId', p);
  assertName('appName', p.appName);
  assertName('userId', p.userId);
}

/** Refuses a reference whose three names are not names (`INVALID_INPUT`). */
export function assertSessionRef(key: SessionRef): void {
  assertUser(key);
  assertName('sessionId', key.sessionId);
}

/** One string for the triple: with lengths in front, since a name may contain whatever could separate them. */
export function sessionKeyOf({ appName, userId, sessionId }: SessionRef): string {
  return `${appName.length} ${userId.length} ${appName}${userId}${sessionId}`;
}

/** One string for app and user, made likewise. */
export function userKeyOf(user: UserRef): string {
  return `${user.appName.length} ${user.appName}${user.userId}`;
}
