import { errorFields } from '@thole/core/kit';
import type { LogFields, ReadonlyContext } from '@thole/core';

const logged = Symbol.for('thole.logged');

/** The members of a context that a log line names. */
export type LoggingContext = Pick<ReadonlyContext, 'appName' | 'userId' | 'sessionId' | 'invocationId' | 'runtime'> &
  Partial<Pick<ReadonlyContext, 'agentName' | 'signal'>>;

/**
 * Logs an error with message, stack and causes at level `error`. Each error is logged once, where it first appears.
 * Skips errors that were logged before, errors with a logged cause, and after a stop of the run its reason and every
 * `AbortError`. Never throws.
 */
export function logFailure(context: LoggingContext, message: string, error: unknown, fields: LogFields = {}): void {
  try {
    if (wasLogged(error) || isStop(error, context.signal)) return;
    markLogged(error);
    const { appName, userId, sessionId, invocationId, agentName, runtime } = context;
    const where = { appName, userId, sessionId, invocationId, ...(agentName !== undefined && { agentName }) };
    runtime.logger.error(message, { ...where, ...fields, ...errorFields(error) });
  } catch {
    // A failing logger must not fail the run, and there is no other place to report it.
  }
}

function wasLogged(error: unknown): boolean {
  return withCauses(error).some((each) => (each as { [logged]?: unknown })[logged] === true);
}

function isStop(error: unknown, signal: AbortSignal | undefined): boolean {
  if (!signal?.aborted) return false;
  return withCauses(error).some((each) => each === signal.reason || (each as { name?: unknown }).name === 'AbortError');
}

/** Returns the error and its causes, at most eight objects. */
function withCauses(error: unknown): object[] {
  const found: object[] = [];
  let each = error;
  while (typeof each === 'object' && each !== null && found.length < 8) {
    found.push(each);
    each = (each as { cause?: unknown }).cause;
  }
  return found;
}

// Marks the error itself, because the package has no module state and its copies must recognize each other's marks.
function markLogged(error: unknown): void {
  if (typeof error === 'object' && error !== null && Object.isExtensible(error))
    Object.defineProperty(error, logged, { value: true });
}
