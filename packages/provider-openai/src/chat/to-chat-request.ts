import type { Json, JsonObject, LlmRequest, ThinkingConfig } from '@thole/core';
import type OpenAI from 'openai';
import type { RequestTarget } from '../openai-options.ts';
import { mergeOptions } from '../responses/merge-options.ts';
import { habitsOf } from './server-habits.ts';
import { toChatMessages } from './to-chat-messages.ts';
import { toChatTools } from './to-chat-tools.ts';
import { toResponseFormat } from './to-response-format.ts';

/**
 * What a chat server is sent for a request of ours. `providerOptions` (under the provider's name, else under `openai`) are laid
 * over it, plain objects member by member; null leaves a member out. Two of its members are ours: `strict` asks for strict mode,
 * or against it (unasked, `responseJsonSchema` has it where it fits, functions never do), and `strictTools` the same for functions
 * alone. `INVALID_INPUT` and `SCHEMA_UNSUPPORTED` for what this API does not take.
 */
export function toChatRequest(request: LlmRequest, target: RequestTarget): OpenAI.Chat.ChatCompletionCreateParams {
  const { config, providerOptions = {} } = request;
  const { isOpenAi, asksForUsage } = habitsOf(target.provider);
  const {
    strict,
    strictTools = strict,
    ...options
  } = providerOptions[target.provider] ?? providerOptions['openai'] ?? {};
  const isStrict = typeof strict === 'boolean' ? strict : undefined;
  const body: { [name: string]: Json | undefined | object } = {
    model: target.model,
    messages: toChatMessages(request, target),
    ...(target.stream && { stream: true, ...(asksForUsage && { stream_options: { include_usage: true } }) }),
    ...toChatTools(config, { isOpenAi, isStrict: strictTools === true }),
    response_format: toResponseFormat(config, { isOpenAi, isStrict }),
    temperature: config.temperature,
    top_p: config.topP,
    // OpenAI has none.
    top_k: isOpenAi ? undefined : config.topK,
    [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: config.maxOutputTokens,
    stop: config.stopSequences?.length ? config.stopSequences : undefined,
    seed: config.seed,
    reasoning_effort: effortOf(config.thinkingConfig),
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  // Whether the answer is streamed is no option: it is read one way or the other.
  const { stream: _, ...merged } = mergeOptions(Object.fromEntries(given) as JsonObject, options);
  return { ...merged, ...(target.stream && { stream: true }) } as unknown as OpenAI.Chat.ChatCompletionCreateParams;
}

function effortOf({ thinkingLevel }: ThinkingConfig = {}): string | undefined {
  return thinkingLevel && !/unspecified/i.test(thinkingLevel) ? thinkingLevel.toLowerCase() : undefined;
}
