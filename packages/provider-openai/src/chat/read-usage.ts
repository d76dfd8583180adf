import type { JsonObject, Usage } from '@thole/core';
import { isRecord } from './is-record.ts';

type Raw = { readonly [key: string]: unknown };

/**
 * Returns token counts: the answer's without thoughts, the total with them. Servers report cached tokens in several
 * places. Undefined for a value without counts, such as an empty object.
 */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const [prompt, completion] = [count(raw['prompt_tokens']), count(raw['completion_tokens'])];
  if (prompt === undefined && completion === undefined && count(raw['total_tokens']) === undefined) return undefined;
  const thoughts =
    count(inside(raw, 'completion_tokens_details')['reasoning_tokens']) ?? count(raw['reasoning_tokens']);
  const cached = cachedTokens(raw);
  const given = count(raw['total_tokens']);
  // xAI counts an answer without its thoughts, all others with them.
  const isApart = thoughts !== undefined && given === (prompt ?? 0) + (completion ?? 0) + thoughts;
  const total = given ?? (prompt ?? 0) + (completion ?? 0);
  const candidates = isApart || completion === undefined ? completion : Math.max(0, completion - (thoughts ?? 0));
  return {
    ...(prompt !== undefined && { promptTokenCount: prompt }),
    ...(candidates !== undefined && { candidatesTokenCount: candidates }),
    totalTokenCount: total,
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
  };
}

/** Returns reported values other than the usual token counts, such as costs and times. */
export function restOfUsage(raw: unknown): JsonObject | undefined {
  if (!isRecord(raw)) return undefined;
  const rest = Object.entries(raw).filter(([key, value]) => !KNOWN.has(key) && value !== null);
  return rest.length > 0 ? (Object.fromEntries(rest) as JsonObject) : undefined;
}

const KNOWN = new Set([
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

/** OpenAI and most others; Mistral; Moonshot; DeepSeek. */
function cachedTokens(raw: Raw): number | undefined {
  return (
    count(inside(raw, 'prompt_tokens_details')['cached_tokens']) ??
    count(inside(raw, 'prompt_token_details')['cached_tokens']) ??
    count(raw['num_cached_tokens']) ??
    count(raw['cached_tokens']) ??
    count(raw['prompt_cache_hit_tokens'])
  );
}

const inside = (raw: Raw, name: string): Raw => (isRecord(raw[name]) ? raw[name] : {});
const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
