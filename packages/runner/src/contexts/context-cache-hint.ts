import type { ContextCacheHint, ContextCacheOptions } from '@thole/core';
import type { LiveSession } from '../session/live-session.ts';
import type { CallPlace } from './idempotency-key.ts';
import { sha256 } from './sha-256.ts';

/**
 * Returns the hint for the requests of one agent in one session. Its key is a hash, so it does not show app and user to a
 * provider.
 */
export function contextCacheHintOf(
  session: LiveSession,
  { agents, branch }: CallPlace,
  options: ContextCacheOptions,
): ContextCacheHint {
  const { appName, userId, sessionId } = session.ref;
  const place = JSON.stringify([
    'context cache',
    appName,
    userId,
    sessionId,
    session.incarnation,
    agents,
    branch ?? '',
  ]);
  const hints = session.folds;
  let key = hints.get(place) as string | undefined;
  if (key === undefined) hints.set(place, (key = sha256(place)));
  return { ...options, key };
}
