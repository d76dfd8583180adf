/** The requirements in which Chat Completions servers differ. */
export interface ServerRequirements {
  /** True for OpenAI's own API with all its extensions. */
  readonly isOpenAi: boolean;
  /** True if token counts of a stream must be requested. False for a server that rejects the option and always counts. */
  readonly needsUsageOption: boolean;
  /** True if the server requires the thoughts of its thinking models together with their calls. */
  readonly needsReasoningContent: boolean;
  /** True if the server requires the member also for calls without thoughts. */
  readonly needsEmptyReasoningContent: boolean;
  /** True if the server rejects a message of the user directly after answers of tools. */
  readonly needsReplyToTools: boolean;
  /** The server's name of the setting `seed`. */
  readonly seed: 'seed' | 'random_seed';
  /** Pattern of the call ids that the server accepts. Ids of other providers may be longer or have other characters. */
  readonly callId: RegExp;
}

/** Returns the requirements of a provider by its name, which is the host unless the caller named it. */
export function requirementsOf(provider: string): ServerRequirements {
  const isOpenAi = provider === 'openai';
  const isDeepSeek = /deepseek/i.test(provider);
  const isMistral = /mistral/i.test(provider);
  return {
    isOpenAi,
    needsUsageOption: !isMistral,
    needsReasoningContent: isDeepSeek || /moonshot|kimi/i.test(provider),
    needsEmptyReasoningContent: isDeepSeek,
    needsReplyToTools: isMistral,
    seed: isMistral ? 'random_seed' : 'seed',
    callId: isMistral ? /^[a-zA-Z0-9]{9}$/ : isOpenAi ? /^[\w.:-]{1,40}$/ : /^[!-~]+$/,
  };
}
