import { errorCodeInfo, TholeError } from '@thole/core';
import { isClosingRecord } from '@thole/core/kit';
import type { Event, LogFields } from '@thole/core';
import type { RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { clipMessage } from '../http/clip-message.ts';
import type { ErrorLog } from '../logging/error-log.ts';

/** The last frame of a complete stream: a comment, which ADK's clients ignore. */
export const DONE_FRAME = ': done\n\n';

/** A comment that keeps a connection without events open. */
export const HEARTBEAT_FRAME = ': heartbeat\n\n';

/**
 * Returns the last frame of a failed run. The message of an error that is not a `TholeError` is hidden. In development,
 * `debug` has message, causes and stack.
 */
export function errorFrame(error: unknown, errorLog: ErrorLog): string {
  const debug = errorLog.describe(error);
  if (!TholeError.is(error)) return frameOf('The server failed.', { code: 'INTERNAL', retryable: false }, debug);
  const { code, message, retryable, retryAfterMs } = error;
  return frameOf(message, { code, retryable, retryAfterMs }, debug);
}

/** Logs the error of a run and returns its frame. */
export function failedRunFrame(
  error: unknown,
  errorLog: ErrorLog,
  p: { fields: LogFields; hasStarted?: boolean | undefined },
): string {
  errorLog.logRunError(error, p.fields, { hasStarted: p.hasStarted ?? true });
  return errorFrame(error, errorLog);
}

/** Returns the last frame of a run: an error frame for a failure. */
export function frameOfEnd(end: RunOutcome | RunFailure): string {
  if (!('code' in end)) return DONE_FRAME;
  const { code, message, retryable } = end;
  return frameOf(message, { code, retryable });
}

/** Returns the last frame of a run from its last event: an error frame if it is the closing record of a failed run. */
export function frameAfter(last: Event | undefined): string {
  return last && isClosingRecord(last) ? frameOfEnd(failureOfRecord(last)) : DONE_FRAME;
}

/** Returns the failure in a closing record. It is not logged again, because the process of the run has logged it. */
export function failureOfRecord({ errorCode, errorMessage }: Event): RunFailure {
  const code = errorCode!;
  return { code, message: clipMessage(errorMessage ?? 'The run failed.'), retryable: errorCodeInfo(code).retryable };
}

function frameOf(error: string, errorDetails: object, debug?: object): string {
  return `data: ${JSON.stringify({ error: clipMessage(error), errorDetails, debug })}\n\n`;
}
