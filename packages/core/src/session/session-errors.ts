import { TholeError } from '../errors/thole-error.ts';
import type { SessionRef } from './session.ts';

/** Returns the error for a session that does not exist or has another incarnation. */
export function sessionNotFound(key: SessionRef): TholeError {
  return new TholeError('SESSION_NOT_FOUND', `${nameOf(key)} does not exist in app "${key.appName}".`);
}

/** Returns the error for a new session whose id is taken. */
export function sessionExists(key: SessionRef): TholeError {
  return new TholeError('SESSION_ALREADY_EXISTS', `${nameOf(key)} exists already in app "${key.appName}".`);
}

/** Returns the error for an append with a fence, or a renewal, whose lease was released or replaced. */
export function leaseLost(key: SessionRef, invocationId: string): TholeError {
  return new TholeError('LEASE_LOST', `Invocation "${invocationId}" no longer holds session "${key.sessionId}".`);
}

/** Returns the error for an append with `ifHeldBy` whose invocation has no live lease, or was asked to stop. */
export function notRunning(key: SessionRef, invocationId: string): TholeError {
  const message = `Invocation "${invocationId}" does not run in session "${key.sessionId}", or was asked to stop.`;
  return new TholeError('NOT_RUNNING', `${message} Nothing was stored.`);
}

/** Returns the error for a run that another run interrupts while it holds the session or waits for it. */
export function runInterrupted(invocationId: string, by: string | undefined): TholeError {
  const newer = by === undefined ? 'A newer invocation' : `Invocation "${by}"`;
  return new TholeError('RUN_INTERRUPTED', `${newer} interrupted invocation "${invocationId}".`);
}

/** Returns the error for a run that `requestStop` stops. */
export function runCancelled(invocationId: string): TholeError {
  return new TholeError('RUN_ABORTED', `Invocation "${invocationId}" was cancelled.`);
}

/** Returns the error for a run that does not get the session. `reason` is the end of the sentence. */
export function sessionBusy(key: SessionRef, heldBy: string | undefined, reason = ''): TholeError {
  const holder = heldBy === undefined ? 'a waiting run is about to start' : `invocation "${heldBy}" holds it`;
  return new TholeError('SESSION_BUSY', `Session "${key.sessionId}" is busy: ${holder}${reason}.`);
}

function nameOf({ userId, sessionId }: SessionRef): string {
  return `Session "${sessionId}" of user "${userId}"`;
}
