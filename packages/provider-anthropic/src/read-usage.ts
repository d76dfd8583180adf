import { isPlainObject, tokenCount } from '@thole/core/kit';
import type { JsonObject, Usage } from '@thole/core';

/**
 * Returns the token counts. The prompt includes tokens that were read from the cache and written to it; thoughts are counted
 * separately from the answer.
 */
export function readUsage(usage: JsonObject): Usage {
  const input = tokenCount(usage, 'input_tokens');
  const output = tokenCount(usage, 'output_tokens');
  const read = tokenCount(usage, 'cache_read_input_tokens');
  const written = tokenCount(usage, 'cache_creation_input_tokens');
  const thoughts = tokenCount(usage['output_tokens_details'], 'thinking_tokens');
  const prompt = input === undefined ? undefined : input + (read ?? 0) + (written ?? 0);
  return {
    ...(prompt !== undefined && { promptTokenCount: prompt }),
    ...(output !== undefined && { candidatesTokenCount: Math.max(0, output - (thoughts ?? 0)) }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
    ...(read !== undefined && { cachedContentTokenCount: read }),
    ...(written && { cacheCreationTokenCount: written }),
    ...(prompt !== undefined && output !== undefined && { totalTokenCount: prompt + output }),
  };
}

/** Adds the counts of two requests for one answer. Members that are not counts are those of the second request. */
export function addUsage(first: JsonObject | undefined, second: JsonObject | undefined): JsonObject | undefined {
  if (!first || !second) return first ?? second;
  const sum: JsonObject = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const firstValue = first[name];
    if (typeof value === 'number' && typeof firstValue === 'number') sum[name] = firstValue + value;
    else if (isPlainObject(value) && isPlainObject(firstValue))
      sum[name] = addUsage(firstValue as JsonObject, value as JsonObject)!;
    else sum[name] = value;
  }
  return sum;
}
