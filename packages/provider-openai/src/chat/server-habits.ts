/** What a server is known to want that others don't. */
export interface ServerHabits {
  /** OpenAI's own API, with all that only it takes. */
  readonly isOpenAi: boolean;
  /** It counts tokens in a stream only when asked to; one that refuses to be asked counts unasked. */
  readonly asksForUsage: boolean;
  /** Calls of its thinking models are refused without the thinking they came with. */
  readonly wantsReasoningContent: boolean;
  /** … even where there was none. */
  readonly wantsEmptyReasoningContent: boolean;
  /** What it calls the setting `seed`. */
  readonly seed: 'seed' | 'random_seed';
  /** Ids of calls that it takes; those of other providers may be longer, or hold other characters. */
  readonly callId: RegExp;
}

/** By the name of the provider, which is its host unless the caller named it. */
export function habitsOf(provider: string): ServerHabits {
  const isOpenAi = provider === 'openai';
  const isDeepSeek = /deepseek/i.test(provider);
  const isMistral = /mistral/i.test(provider);
  return {
    isOpenAi,
    asksForUsage: !isMistral,
    wantsReasoningContent: isDeepSeek || /moonshot|kimi/i.test(provider),
    wantsEmptyReasoningContent: isDeepSeek,
    seed: isMistral ? 'random_seed' : 'seed',
    callId: isMistral ? /^[a-zA-Z0-9]{9}$/ : isOpenAi ? /^[\w.:-]{1,40}$/ : /^[!-~]+$/,
  };
}
