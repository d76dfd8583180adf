import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import type { SessionRef } from './session.ts';
import type { UserRef } from './session-service.ts';

/** Maximum length of the name of an app, user, session or artifact, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 512;

/** Throws `INVALID_INPUT` unless the value is a string of 1 to 512 bytes without NUL and lone surrogates. */
export function assertName(argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value === '') throw new TholeError('INVALID_INPUT', `${argument} must not be empty.`);
  if (value.includes('\0')) throw new TholeError('INVALID_INPUT', `${argument} must not contain a NUL character.`);
  if (!value.isWellFormed())
    throw new TholeError('INVALID_INPUT', `${argument} must be well-formed Unicode, without lone surrogates.`);
  // A UTF-16 unit has at most three bytes in UTF-8, so most names need no count.
  if (value.length * 3 > MAX_NAME_BYTES && new TextEncoder().encode(value).length > MAX_NAME_BYTES) {
    throw new TholeError('INVALID_INPUT', `${argument} must be at most ${MAX_NAME_BYTES} bytes long.`);
  }
}

/** Throws `INVALID_INPUT` unless the value is an object with valid names of an app and a user. */
export function assertUser(p: UserRef): void {
  if (typeof p !== 'object' || p === null) throw invalidInput('The request', 'an object with appName and userId', p);
  assertName('appName', p.appName);
  assertName('userId', p.userId);
}

/** Throws `INVALID_INPUT` unless the value is an object with valid names of an app, a user and a session. */
export function assertSessionRef(key: SessionRef): void {
  assertUser(key);
  assertName('sessionId', key.sessionId);
}

/** Returns a session's key as one string. It starts with lengths, because a name may contain any separator. */
export function sessionKeyOf({ appName, userId, sessionId }: SessionRef): string {
  return `${appName.length} ${userId.length} ${appName}${userId}${sessionId}`;
}

/** Returns app and user as one string, in the same format. */
export function userKeyOf(user: UserRef): string {
  return `${user.appName.length} ${user.appName}${user.userId}`;
}
