import type { UiFinishReason } from './ui-chunk.ts';

const reasons: ReadonlyMap<string, UiFinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
]);

/** Returns the AI SDK's name of a finish reason. `stop` if the run has none. */
export function toUiFinishReason(finishReason: string | undefined): UiFinishReason {
  return finishReason === undefined ? 'stop' : (reasons.get(finishReason) ?? 'other');
}
