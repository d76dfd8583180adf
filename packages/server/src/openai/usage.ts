import type { JsonObject, Usage } from '@thole/core';
import { addTokens, createTokenCounts } from '../front-ends/token-counts.ts';

/** Returns the token counts of a run in the form of Chat Completions. */
export function toChatUsage(usage: Usage | undefined): JsonObject {
  const { input, output, total, cached, reasoning } = countsOf(usage);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** Returns the token counts of a run in the form of Responses. */
export function toResponseUsage(usage: Usage | undefined): JsonObject {
  const { input, output, total, cached, reasoning } = countsOf(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: total,
  };
}

function countsOf(usage: Usage = {}): Record<'input' | 'output' | 'total' | 'cached' | 'reasoning', number> {
  const sum = createTokenCounts();
  addTokens(sum, usage);
  const { input, output, cacheRead: cached, reasoning } = sum;
  return { input, output, total: usage.totalTokenCount ?? input + output, cached, reasoning };
}
