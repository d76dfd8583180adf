import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, Usage } from '@thole/core';

/**
 * Returns token counts. The prompt includes tokens that were read from the cache and written to it; thoughts are counted
 * separately from the answer.
 */
export function readUsage(usage: JsonObject): Usage {
  const input = numberIn(usage, 'input_tokens');
  const output = numberIn(usage, 'output_tokens');
  const read = numberIn(usage, 'cache_read_input_tokens');
  const written = numberIn(usage, 'cache_creation_input_tokens');
  const thoughts = numberIn(usage['output_tokens_details'], 'thinking_tokens');
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

/** Adds the counts of several requests for one answer. Members that are not counts are taken from the later one. */
export function addUsage(one: JsonObject | undefined, other: JsonObject | undefined): JsonObject | undefined {
  if (!one || !other) return one ?? other;
  const sum: JsonObject = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = one[name];
    if (typeof value === 'number' && typeof before === 'number') sum[name] = before + value;
    else if (isPlainObject(value) && isPlainObject(before))
      sum[name] = addUsage(before as JsonObject, value as JsonObject)!;
    else sum[name] = value;
  }
  return sum;
}

function numberIn(source: unknown, name: string): number | undefined {
  const value = isPlainObject(source) ? source[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}
