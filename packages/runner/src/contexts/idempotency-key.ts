import type { LiveSession } from '../session/live-session.ts';
import { sha256 } from './sha-256.ts';

/** Where in a run a tool is called. */
export interface CallPlace {
  /** Names of the agents from the root to the one that calls. */
  readonly agents: readonly string[];
  readonly branch: string | undefined;
}

/**
 * Returns the key of one tool call: the same for every attempt at it, different for every other call, also after the session
 * was deleted and created again. It is a hash, so that what a tool sends elsewhere tells nothing about app and user.
 */
export function idempotencyKeyOf(live: LiveSession, { agents, branch }: CallPlace, callId: string): string {
  const { appName, userId, sessionId } = live.ref;
  return sha256(JSON.stringify([appName, userId, sessionId, live.incarnation, agents, branch ?? '', callId]));
}
