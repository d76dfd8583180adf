import { errorCodeInfo, TholeError } from '@thole/core';
import type { Event, LogFields } from '@thole/core';
import { shortSentence } from '../http/short-sentence.ts';
import type { Failures } from '../logging/failures.ts';

/** After it nothing is missing. Comments are nothing to ADK's clients. */
export const DONE_FRAME = ': done\n\n';

/** Says that the stream lives. */
export const HEARTBEAT_FRAME = ': heartbeat\n\n';

/**
 * The one frame that ends a stream of a run that failed. An error without a code of ours is not told; in development `debug` tells
 * its message, causes and stack.
 */
export function errorFrame(error: unknown, failures: Failures): string {
  const debug = failures.debug(error);
  if (!TholeError.is(error)) return terminal('The server failed.', { code: 'INTERNAL', retryable: false }, debug);
  const { code, message, retryable, retryAfterMs } = error;
  return terminal(message, { code, retryable, retryAfterMs }, debug);
}

/** The error frame of a run, which is logged too. */
export function failedRunFrame(
  error: unknown,
  failures: Failures,
  p: { where: LogFields; hasBegun?: boolean | undefined },
): string {
  failures.run(error, p.where, { hasBegun: p.hasBegun ?? true });
  return errorFrame(error, failures);
}

/** The same frame for a run that is read again: its closing record tells how it ended. */
export function recordedErrorFrame({ errorCode, errorMessage }: Event): string {
  const code = errorCode!;
  return terminal(errorMessage ?? 'The run failed.', { code, retryable: errorCodeInfo(code).retryable });
}

function terminal(error: string, errorDetails: object, debug?: object): string {
  return `data: ${JSON.stringify({ error: shortSentence(error), errorDetails, debug })}\n\n`;
}

/** Whether an event is the record by which a run that failed was closed: an error that no model gave as its answer. */
export function isClosingRecord(event: Event): boolean {
  return event.errorCode !== undefined && event.content === undefined && event.finishReason === undefined;
}
