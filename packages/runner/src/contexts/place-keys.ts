import type { ContextCacheHint, ContextCacheOptions } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import type { LiveSession } from '../session/live-session.ts';
import { sha256 } from './sha-256.ts';

/** The place of a tool call in a run. */
export interface CallPlace {
  /** Names of the agents from the root to the agent that makes the call. */
  readonly agents: readonly string[];
  readonly branch: string | undefined;
}

/**
 * Returns the key of a tool call: the same for each attempt, different for any other call, also after the session was
 * deleted and created again. It is a hash, so it does not show app and user to other services.
 */
export function idempotencyKeyOf(task: RunTask, { agents, branch }: CallPlace, callId: string): string {
  const place = [agents, branch ?? '', callId];
  // The session of a child run is another one in each attempt.
  if (task.childKey !== undefined) return sha256(JSON.stringify([task.childKey, ...place]));
  const { incarnation, ref } = task.session;
  return sha256(JSON.stringify([ref.appName, ref.userId, ref.sessionId, incarnation, ...place]));
}

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
