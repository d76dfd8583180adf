import { isPlainObject, tokenCount } from '@thole/core/kit';
import type { Usage } from '@thole/core';

/** Returns the token counts. Thoughts are counted separately from the answer. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isPlainObject(usage)) return undefined;
  const prompt = tokenCount(usage, 'input_tokens');
  const output = tokenCount(usage, 'output_tokens');
  const cached = tokenCount(usage['input_tokens_details'], 'cached_tokens');
  const thoughts = tokenCount(usage['output_tokens_details'], 'reasoning_tokens');
  // The output count of some servers does not include thoughts.
  const answered = output !== undefined && thoughts !== undefined && thoughts <= output ? output - thoughts : output;
  const sum = prompt === undefined || output === undefined ? undefined : prompt + output;
  const total = tokenCount(usage, 'total_tokens') ?? sum;
  return {
    ...(prompt !== undefined && { promptTokenCount: prompt }),
    ...(answered !== undefined && { candidatesTokenCount: answered }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(total !== undefined && { totalTokenCount: total }),
  };
}
