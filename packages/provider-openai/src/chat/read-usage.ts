import { tokenCount } from '@thole/core/kit';
import type { JsonObject, Usage } from '@thole/core';
import { isRecord } from './is-record.ts';

/**
 * Returns the token counts. The answer's count does not include thoughts, the total does. Servers report cached tokens in
 * different members. Undefined for a value without counts, such as an empty object.
 */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const prompt = tokenCount(raw, 'prompt_tokens');
  const completion = tokenCount(raw, 'completion_tokens');
  const total = tokenCount(raw, 'total_tokens');
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const sum = (prompt ?? 0) + (completion ?? 0);
  const cached = cachedTokens(raw);
  const thoughts =
    tokenCount(raw['completion_tokens_details'], 'reasoning_tokens') ?? tokenCount(raw, 'reasoning_tokens');
  // The answer's count of xAI does not include thoughts. That of other servers does.
  const includedThoughts = thoughts === undefined || total === sum + thoughts ? 0 : thoughts;
  const candidates = completion && Math.max(0, completion - includedThoughts);
  return {
    ...(prompt !== undefined && { promptTokenCount: prompt }),
    ...(candidates !== undefined && { candidatesTokenCount: candidates }),
    totalTokenCount: total ?? sum,
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
  };
}

/** Returns the values that are not the usual token counts, such as costs and times. */
export function otherUsage(raw: unknown): JsonObject | undefined {
  if (!isRecord(raw)) return undefined;
  const rest = Object.entries(raw).filter(([key, value]) => !READ_MEMBERS.has(key) && value !== null);
  return rest.length > 0 ? (Object.fromEntries(rest) as JsonObject) : undefined;
}

const READ_MEMBERS = new Set([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'reasoning_tokens',
  'cached_tokens',
  'num_cached_tokens',
  'prompt_cache_hit_tokens',
  'prompt_cache_miss_tokens',
  'prompt_tokens_details',
  'prompt_token_details',
  'completion_tokens_details',
]);

/** The members are those of OpenAI and most servers, Mistral (two), Moonshot and DeepSeek, in this order. */
function cachedTokens(raw: { readonly [member: string]: unknown }): number | undefined {
  return (
    tokenCount(raw['prompt_tokens_details'], 'cached_tokens') ??
    tokenCount(raw['prompt_token_details'], 'cached_tokens') ??
    tokenCount(raw, 'num_cached_tokens') ??
    tokenCount(raw, 'cached_tokens') ??
    tokenCount(raw, 'prompt_cache_hit_tokens')
  );
}
