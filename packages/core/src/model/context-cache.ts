/** Options of prompt caching. Members that a provider does not support are ignored. */
export interface ContextCacheOptions {
  /** Number of model calls after which an explicit cache is created again. From 1 to 100. Default: 10. */
  cacheIntervals?: number | undefined;
  /** Lifetime of an explicit cache in seconds. Default: 1,800. */
  ttlSeconds?: number | undefined;
  /** Minimum number of tokens of a prompt that is cached. Default: 0. */
  minTokens?: number | undefined;
}

/** Prompt caching for one request. */
export interface ContextCacheHint extends ContextCacheOptions {
  /** A hash without private data. Equal for all requests of one agent in one session, because their prompts begin the same. */
  key: string;
}
