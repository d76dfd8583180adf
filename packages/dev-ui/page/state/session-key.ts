import type { SessionRef } from '@thole/core';

/** One text for the triple that finds a session. Names may hold any character, so it is JSON. */
export function sessionKey(ref: SessionRef): string {
  return JSON.stringify([ref.appName, ref.userId, ref.sessionId]);
}
