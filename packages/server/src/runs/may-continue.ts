import { TholeError } from '@thole/core';
import type { SessionRef } from '@thole/core';
import type { HandlerContext } from '../handler-context.ts';
import { findRunner } from '../http/find-runner.ts';

/**
 * True if a run has ended because the server is closing, and another process may continue it. Its stream has no last frame, so
 * clients read the rest from another process.
 */
export function mayContinue(context: HandlerContext, { appName }: SessionRef, error: unknown): boolean {
  if (!context.runs.closing || !TholeError.is(error, 'RUN_ABORTED')) return false;
  return findRunner(context, appName).sessionService.isDurable === true;
}

/** The hint of the runner for callers of the library, at the end of its message. */
const LIBRARY_HINT = /Create it with sessionService\.createSession\(.*$/;

/**
 * Returns the error of a request whose run has ended without a stream: `SERVER_BUSY` if the run ended because the server is
 * closing, so that the client sends the message again. The error of a missing session names the route that creates it.
 */
export function responseError(context: HandlerContext, ref: SessionRef, cause: unknown): unknown {
  if (TholeError.is(cause, 'SESSION_NOT_FOUND')) {
    // A session that was deleted during the run has a message without this hint, which stays the same.
    const message = cause.message.replace(LIBRARY_HINT, 'Create it with POST /apps/{app}/users/{user}/sessions.');
    return message === cause.message ? cause : new TholeError('SESSION_NOT_FOUND', message, { cause });
  }
  if (!mayContinue(context, ref, cause)) return cause;
  const message = 'The server is about to close. Send the message again with the same id (header Idempotency-Key).';
  return new TholeError('SERVER_BUSY', message, { cause });
}
