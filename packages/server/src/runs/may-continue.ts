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
