import { TholeError } from '@thole/core';
import type { SessionRef } from '@thole/core';

/** Returns `SESSION_NOT_FOUND` that says how to create the session. `or` names another way. */
export function sessionNotFound({ appName, userId, sessionId }: SessionRef, or?: string): TholeError {
  return new TholeError(
    'SESSION_NOT_FOUND',
    `Session "${sessionId}" of user "${userId}" does not exist in app "${appName}". ` +
      `Create it with sessionService.createSession({ appName, userId, sessionId })${or === undefined ? '' : `, or ${or}`}.`,
  );
}
