import type { GenerateContentConfig, Json, JsonObject, LlmRequest, ThinkingConfig } from '@thole/core';
import type OpenAI from 'openai';
import type { RequestTarget } from '../openai-options.ts';
import { mergeOptions } from '../responses/merge-options.ts';
import { readProviderOptions } from '../provider-options.ts';
import { samples } from '../to-openai-request.ts';
import { habitsOf } from './server-habits.ts';
import { toChatMessages } from './to-chat-messages.ts';
import { toChatTools } from './to-chat-tools.ts';
import { toResponseFormat } from './to-response-format.ts';

/**
 * What a chat server is sent for a request of ours. `providerOptions` (under the provider's name; `openai` for OpenAI and Azure) are laid
 * over it, plain objects member by member; null leaves a member out. Two of its members are ours: `strict` asks for strict mode,
 * or against it (unasked, `responseJsonSchema` has it where it fits, functions never do), and `strictTools` the same for functions
 * alone. Settings that the server is known to refuse are named to `leaveOut`. `INVALID_INPUT` and `SCHEMA_UNSUPPORTED` for what this API does not take.
 */
export function toChatRequest(request: LlmRequest, target: RequestTarget): OpenAI.Chat.ChatCompletionCreateParams {
  const { config } = request;
  const { isOpenAi, asksForUsage, seed } = habitsOf(target.provider);
  const { strict: isStrict, strictTools, options } = readProviderOptions(request, target);
  const takesSampling = samples(config, options, target);
  nameLeftOut(config, target, takesSampling, isOpenAi);
  const { schemas } = target;
  const body: { [name: string]: Json | undefined | object } = {
    model: target.deployment ?? target.model,
    messages: toChatMessages(request, target),
    ...(target.stream && { stream: true, ...(asksForUsage && { stream_options: { include_usage: true } }) }),
    ...toChatTools(config, { isOpenAi, isStrict: strictTools, schemas }),
    response_format: toResponseFormat(config, { isOpenAi, isStrict, schemas }),
    temperature: takesSampling ? config.temperature : undefined,
    top_p: takesSampling ? config.topP : undefined,
    // OpenAI has none.
    top_k: isOpenAi ? undefined : config.topK,
    [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: config.maxOutputTokens,
    stop: config.stopSequences?.length ? config.stopSequences : undefined,
    [seed]: config.seed,
    reasoning_effort: effortOf(config.thinkingConfig),
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  // Whether the answer is streamed is no option: it is read one way or the other.
  const { stream: _, ...merged } = mergeOptions(Object.fromEntries(given) as JsonObject, options);
  return { ...merged, ...(target.stream && { stream: true }) } as unknown as OpenAI.Chat.ChatCompletionCreateParams;
}

function nameLeftOut(
  config: GenerateContentConfig,
  target: RequestTarget,
  takesSampling: boolean,
  isOpenAi: boolean,
): void {
  const missing = [
    ...(takesSampling ? [] : (['temperature', 'topP'] as const)),
    ...(isOpenAi ? (['topK'] as const) : []),
  ];
  for (const name of [...missing, ...NOT_HERE]) if (config[name] !== undefined) target.leaveOut?.(name);
  if (config.thinkingConfig?.thinkingBudget !== undefined) target.leaveOut?.('thinkingConfig.thinkingBudget');
}

const NOT_HERE = ['safetySettings', 'cachedContent', 'labels'] as const;

function effortOf({ thinkingLevel }: ThinkingConfig = {}): string | undefined {
  return thinkingLevel && !/unspecified/i.test(thinkingLevel) ? thinkingLevel.toLowerCase() : undefined;
}
