import { errorCodeInfo, TholeError } from '@thole/core';
import type { Event } from '@thole/core';
import { shortSentence } from '../edge/short-sentence.ts';

/** After it nothing is missing. Comments are nothing to ADK's clients. */
export const DONE_FRAME = ': done\n\n';

/** Says that the stream lives. */
export const HEARTBEAT_FRAME = ': heartbeat\n\n';

/** The one frame that ends a stream of a run that failed. What carries no code of ours is not told. */
export function errorFrame(error: unknown): string {
  if (!TholeError.is(error)) return terminal('The server failed.', { code: 'INTERNAL', retryable: false });
  const { code, message, retryable, retryAfterMs } = error;
  return terminal(message, { code, retryable, retryAfterMs });
}

/** The same frame for a run that is read again: its closing record tells how it ended. */
export function recordedErrorFrame({ errorCode, errorMessage }: Event): string {
  const code = errorCode!;
  return terminal(errorMessage ?? 'The run failed.', { code, retryable: errorCodeInfo(code).retryable });
}

function terminal(error: string, errorDetails: object): string {
  return `data: ${JSON.stringify({ error: shortSentence(error), errorDetails })}\n\n`;
}

/** Whether an event is the record by which a run that failed was closed: an error that no model gave as its answer. */
export function isClosingRecord(event: Event): boolean {
  return event.errorCode !== undefined && event.content === undefined && event.finishReason === undefined;
}
