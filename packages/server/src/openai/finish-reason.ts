import type { Event } from '@thole/core';

/** OpenAI's reason why an answer ended. */
export type FinishReason = 'stop' | 'length' | 'content_filter';

const filterReasons: ReadonlySet<string> = new Set([
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'LANGUAGE'],
]);

/** Returns the finish reason of an event of an answer. Undefined for an event without one. */
export function finishReasonOf({ finishReason, partial }: Event): FinishReason | undefined {
  if (partial || finishReason === undefined) return undefined;
  if (finishReason === 'MAX_TOKENS') return 'length';
  return filterReasons.has(finishReason) ? 'content_filter' : 'stop';
}
