import { isPlainObject, tokenCount } from '@thole/core/kit';
import type { Usage } from '@thole/core';

/**
 * Returns the token counts of an answer. Thoughts are counted separately from the answer; the AI SDK includes them in the
 * output. Undefined without any count.
 */
export function readUsage(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens } = isPlainObject(usage) ? usage : {};
  const prompt = tokenCount(inputTokens, 'total');
  const output = tokenCount(outputTokens, 'total');
  if (prompt === undefined && output === undefined) return undefined;
  const cached = tokenCount(inputTokens, 'cacheRead');
  const written = tokenCount(inputTokens, 'cacheWrite');
  const thoughts = tokenCount(outputTokens, 'reasoning');
  return {
    ...(prompt !== undefined && { promptTokenCount: prompt }),
    ...(output !== undefined && { candidatesTokenCount: Math.max(0, output - (thoughts ?? 0)) }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(written && { cacheCreationTokenCount: written }),
    totalTokenCount: (prompt ?? 0) + (output ?? 0),
  };
}
