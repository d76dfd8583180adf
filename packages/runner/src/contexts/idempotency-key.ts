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
export function idempotencyKeyOf(session: LiveSession, { agents, branch }: CallPlace, callId: string): string {
  const { appName, userId, sessionId } = session.ref;
  return sha256(JSON.stringify([appName, userId, sessionId, session.incarnation, agents, branch ?? '', callId]));
}
