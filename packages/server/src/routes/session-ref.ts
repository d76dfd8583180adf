import type { SessionRef } from '@thole/core';
import type { RouteCall } from '../route.ts';

/** Returns the app, user and session in a path. */
export function sessionRefOf({ params }: Pick<RouteCall, 'params'>): SessionRef {
  return { appName: params.app, userId: params.user, sessionId: params.session };
}
