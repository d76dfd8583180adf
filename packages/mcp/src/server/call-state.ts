import { isPlainObject } from '@thole/core/kit';

/**
 * The call that an answer continues, which the client sends back as `requestState`. It is not signed: it only names a session of
 * the user, and the server compares it with the stored session.
 */
export interface CallState {
  readonly sessionId: string;
  readonly invocationId: string;
  /** Number of the last progress notification: the numbers of a call must increase. */
  readonly progress: number;
}

/** Returns the state as the text that the client sends back. */
export function formatCallState({ sessionId, invocationId, progress }: CallState): string {
  return JSON.stringify({ sessionId, invocationId, progress });
}

/** Reads `requestState` of a client. Throws if it is not a state. */
export function parseCallState(text: string): CallState {
  const value: unknown = JSON.parse(text);
  const { sessionId, invocationId, progress = 0 } = isPlainObject(value) ? value : {};
  if (typeof sessionId !== 'string' || typeof invocationId !== 'string' || !Number.isSafeInteger(progress))
    throw new Error('requestState must be JSON with sessionId, invocationId and an integer as progress.');
  return { sessionId, invocationId, progress: progress as number };
}
