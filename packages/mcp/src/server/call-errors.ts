import { TholeError } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import type { Logger, LogFields, TholeErrorCode } from '@thole/core';

/** Errors that the client has caused. Their messages contain only names from the request. */
const clientErrors: ReadonlySet<TholeErrorCode> = new Set<TholeErrorCode>([
  'SESSION_BUSY',
  'SESSION_NOT_FOUND',
  'INVOCATION_NOT_FOUND',
  'INVOCATION_ENDED',
  'INTERRUPT_NOT_FOUND',
  'INTERRUPT_ANSWERED',
  'INTERRUPT_EXPIRED',
  'FORBIDDEN',
]);
const MAX_LENGTH = 500;

/** Returns the text of an error for the client. It contains the message only if the client has caused the error. */
export function describeCallError(agentName: string, error: unknown): string {
  if (TholeError.is(error) && clientErrors.has(error.code))
    return `${error.message.slice(0, MAX_LENGTH).toWellFormed()} (${error.code})`;
  return `${agentName} could not answer (${TholeError.is(error) ? error.code : 'INTERNAL'}).`;
}

/** Logs the error of a call: as `debug` if the client has ended it, as `info` if the client has caused it. */
export function logCallError(logger: Logger, error: unknown, where: LogFields): void {
  const isEnded = TholeError.is(error, 'RUN_ABORTED') || TholeError.is(error, 'RUN_INTERRUPTED');
  const isClientError = TholeError.is(error) && clientErrors.has(error.code);
  const level = isEnded ? 'debug' : isClientError ? 'info' : 'error';
  logger[level]('A call of an agent failed.', { ...errorFields(error), ...where });
}
