import { isPlainObject, tokenCount } from '@thole/core/kit';
import type { Usage } from '@thole/core';

/**
 * Returns the token counts of an answer. Thoughts are counted separately from the answer; the AI SDK includes them in the
 * output. Undefined without any count.
 */
export function readUsage(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens } = isPlainObject(usage) ? usage : {};
  const prompt = countIn(inputTokens, 'total');
  const output = countIn(outputTokens, 'total');
  if (prompt === undefined && output === undefined) return undefined;
  const cached = countIn(inputTokens, 'cacheRead');
  const written = countIn(inputTokens, 'cacheWrite');
  const thoughts = countIn(outputTokens, 'reasoning');
  return {
    ...(prompt !== undefined && { promptTokenCount: prompt }),
    ...(output !== undefined && { candidatesTokenCount: Math.max(0, output - (thoughts ?? 0)) }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(written && { cacheCreationTokenCount: written }),
    totalTokenCount: (prompt ?? 0) + (output ?? 0),
  };
}

function countIn(counts: unknown, name: string): number | undefined {
  return isPlainObject(counts) ? tokenCount(counts[name]) : undefined;
}
