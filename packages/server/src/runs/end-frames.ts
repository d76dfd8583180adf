import { errorCodeInfo, TholeError } from '@thole/core';
import { isClosingRecord } from '@thole/core/kit';
import type { Event, LogFields } from '@thole/core';
import { toRunFailure } from '../front-ends/event-encoder.ts';
import type { RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { clipMessage } from '../http/clip-message.ts';
import type { ErrorLog } from '../logging/error-log.ts';

/** The last frame of a complete stream: a comment, which ADK's clients ignore. */
const DONE_FRAME = ': done\n\n';

/** A comment that keeps a connection without events open. */
export const HEARTBEAT_FRAME = ': heartbeat\n\n';

/**
 * Logs the error of a started run and returns its last frame. The message of an error that is not a `TholeError` is hidden. In
 * development, `debug` has message, causes and stack.
 */
export function failedRunFrame(error: unknown, errorLog: ErrorLog, fields: LogFields): string {
  errorLog.logRunError(error, fields, { hasStarted: true });
  const { code, message, retryable } = toRunFailure(error);
  const retryAfterMs = TholeError.is(error) ? error.retryAfterMs : undefined;
  return frameOf(message, { code, retryable, retryAfterMs }, errorLog.describe(error));
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
  return `data: ${JSON.stringify({ error, errorDetails, debug })}\n\n`;
}
