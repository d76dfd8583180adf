import type { SessionRef } from '@thole/core';

/** Returns one text for the three names of a session. Names may contain any character, so it is JSON. */
export function sessionKey(ref: SessionRef): string {
  return JSON.stringify([ref.appName, ref.userId, ref.sessionId]);
}
