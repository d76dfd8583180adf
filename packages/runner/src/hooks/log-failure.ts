import { errorFields } from '@thole/core/kit';
import type { LogFields, ReadonlyContext } from '@thole/core';

const logged = Symbol.for('thole.logged');

/** The members of a context that a log line names. */
export type LoggingContext = Pick<
  ReadonlyContext,
  'appName' | 'userId' | 'sessionId' | 'invocationId' | 'agentName' | 'runtime' | 'signal'
>;

/**
 * Logs an error with message, stack and causes at level `error`. Each error is logged once, where it first appears.
 * Skips errors that were logged before, errors with a logged cause, and the error that stopped the run. Never throws.
 */
export function logFailure(context: LoggingContext, message: string, error: unknown, fields: LogFields = {}): void {
  try {
    if (wasLogged(error) || isStopReason(error, context.signal)) return;
    markLogged(error);
    const { appName, userId, sessionId, invocationId, agentName, runtime } = context;
    const where = { appName, userId, sessionId, invocationId, agentName };
    runtime.logger.error(message, { ...where, ...fields, ...errorFields(error) });
  } catch {
    // A failing logger must not fail the run, and there is no other place to report it.
  }
}

function wasLogged(error: unknown): boolean {
  let each = error;
  for (let depth = 0; depth < 8 && typeof each === 'object' && each !== null; depth++) {
    if ((each as { [logged]?: unknown })[logged] === true) return true;
    each = (each as { cause?: unknown }).cause;
  }
  return false;
}

function isStopReason(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error as Error | undefined)?.cause === signal.reason);
}

// Marks the error itself, because the package has no module state and its copies must recognize each other's marks.
function markLogged(error: unknown): void {
  if (typeof error === 'object' && error !== null && Object.isExtensible(error))
    Object.defineProperty(error, logged, { value: true });
}
