import { TholeError } from '@thole/core';
import type { SessionRef } from '@thole/core';
import type { RouteCall } from '../route.ts';

/** The three names of a session in a path. */
export function refOf({ names }: Pick<RouteCall, 'names'>): SessionRef {
  return { appName: names.app, userId: names.user, sessionId: names.session };
}

/** What is thrown for a session that is not there. */
export function noSession({ userId, sessionId, appName }: SessionRef): TholeError {
  return new TholeError('SESSION_NOT_FOUND', `No session ${sessionId} for ${userId} in ${appName}.`);
}
