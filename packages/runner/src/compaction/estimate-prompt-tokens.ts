import { estimateTokens } from '@thole/core/kit';
import type { Event } from '@thole/core';

/** Returns the approximate number of prompt tokens of an event, for models that do not count tokens. */
export function estimatePromptTokens({ content }: Event): number {
  let tokens = 0;
  for (const { text, thought, functionCall, functionResponse } of content?.parts ?? []) {
    if (text && !thought) tokens += estimateTokens(text);
    if (functionCall) tokens += estimateTokens(JSON.stringify(functionCall.args ?? {}));
    if (functionResponse) tokens += estimateTokens(JSON.stringify(functionResponse.response ?? {}));
  }
  return tokens;
}
