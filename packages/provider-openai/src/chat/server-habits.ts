/** Requirements of a server that differ from other servers'. */
export interface ServerHabits {
  /** True for OpenAI's own API with all its extensions. */
  readonly isOpenAi: boolean;
  /** True if the server counts tokens in a stream only on request. A server that rejects the request counts anyway. */
  readonly asksForUsage: boolean;
  /** True if the server rejects calls of its thinking models without the thinking they came with. */
  readonly wantsReasoningContent: boolean;
  /** True if it rejects them even when there was no thinking. */
  readonly wantsEmptyReasoningContent: boolean;
  /** Its name for the setting `seed`. */
  readonly seed: 'seed' | 'random_seed';
  /** Call ids that it accepts. Ids of other providers may be longer or have other characters. */
  readonly callId: RegExp;
}

/** Returns the requirements of a provider by its name, which is the host unless the caller named it. */
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
