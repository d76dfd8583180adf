import type { JsonObject, LlmRequest } from '@thole/core';
import type { RequestTarget } from './openai-options.ts';

/** Lifetime in seconds above which the extended retention is requested. Without it, OpenAI keeps a prefix up to an hour. */
const LONG_SECONDS = 3_600;

/**
 * Returns the settings for OpenAI's prompt cache: a key, so that requests of one agent in one session reach the same cache,
 * and the extended retention for a lifetime over an hour. Empty without a hint, and for servers other than OpenAI and Azure.
 */
export function toPromptCache({ contextCache }: LlmRequest, { provider }: RequestTarget): JsonObject {
  if (!contextCache || provider !== 'openai') return {};
  const isLong = (contextCache.ttlSeconds ?? 0) > LONG_SECONDS;
  return { prompt_cache_key: contextCache.key, ...(isLong && { prompt_cache_retention: '24h' }) };
}
