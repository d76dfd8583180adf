import type { SessionRef } from '@thole/core';

/** Returns a unique text for the three names of a session. It is JSON, because names may contain any character. */
export function sessionKey(ref: SessionRef): string {
  return JSON.stringify([ref.appName, ref.userId, ref.sessionId]);
}
