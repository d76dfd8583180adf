import { definedMembers } from '@thole/core/kit';
import type { GenerateContentConfig, Json, JsonObject, LlmRequest, ThinkingConfig } from '@thole/core';
import type OpenAI from 'openai';
import type { RequestTarget } from '../openai-options.ts';
import { mergeOptions } from '../responses/merge-options.ts';
import { readProviderOptions } from '../provider-options.ts';
import { acceptsSampling } from '../to-openai-request.ts';
import { toPromptCache } from '../to-prompt-cache.ts';
import { requirementsOf } from './server-requirements.ts';
import { toChatMessages } from './to-chat-messages.ts';
import { toChatTools } from './to-chat-tools.ts';
import { toResponseFormat } from './to-response-format.ts';

/**
 * Returns a request in the format of Chat Completions. `providerOptions` (under the provider's name; `openai` for
 * OpenAI and Azure) are merged into it, plain objects member by member; null removes a member. This package reads
 * two of their members itself: `strict` turns strict mode on or off (default: on for `responseJsonSchema` if it
 * fits, off for functions), and `strictTools` does so for functions only. `leaveOut` is called with the names of settings
 * that the server is known to reject. Throws `INVALID_INPUT` and `SCHEMA_UNSUPPORTED` for data that this API does not
 * support.
 */
export function toChatRequest(request: LlmRequest, target: RequestTarget): OpenAI.Chat.ChatCompletionCreateParams {
  const { config } = request;
  const { isOpenAi, needsUsageOption, seed } = requirementsOf(target.provider);
  const { strict: isStrict, strictTools, options } = readProviderOptions(request, target);
  const acceptsSamplingSettings = acceptsSampling(config, options, target);
  reportLeftOut(config, target, acceptsSamplingSettings, isOpenAi);
  const { schemas } = target;
  const body: { [name: string]: Json | undefined | object } = {
    model: target.deployment ?? target.model,
    messages: toChatMessages(request, target),
    ...(target.stream && { stream: true, ...(needsUsageOption && { stream_options: { include_usage: true } }) }),
    ...toChatTools(config, { isOpenAi, isStrict: strictTools, schemas }),
    response_format: toResponseFormat(config, { isOpenAi, isStrict, schemas }),
    temperature: acceptsSamplingSettings ? config.temperature : undefined,
    top_p: acceptsSamplingSettings ? config.topP : undefined,
    // OpenAI does not have `top_k`.
    top_k: isOpenAi ? undefined : config.topK,
    [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: config.maxOutputTokens,
    stop: config.stopSequences?.length ? config.stopSequences : undefined,
    [seed]: config.seed,
    reasoning_effort: toEffort(config.thinkingConfig),
    ...toPromptCache(request, target),
  };
  // `stream` is not an option: the caller of this function decides how the answer is read.
  const { stream: _, ...merged } = mergeOptions(definedMembers(body) as JsonObject, options);
  return { ...merged, ...(target.stream && { stream: true }) } as unknown as OpenAI.Chat.ChatCompletionCreateParams;
}

function reportLeftOut(
  config: GenerateContentConfig,
  target: RequestTarget,
  acceptsSamplingSettings: boolean,
  isOpenAi: boolean,
): void {
  const missing = [
    ...(acceptsSamplingSettings ? [] : (['temperature', 'topP'] as const)),
    ...(isOpenAi ? (['topK'] as const) : []),
  ];
  for (const name of [...missing, ...UNSUPPORTED_SETTINGS]) if (config[name] !== undefined) target.leaveOut?.(name);
  if (config.thinkingConfig?.thinkingBudget !== undefined) target.leaveOut?.('thinkingConfig.thinkingBudget');
}

const UNSUPPORTED_SETTINGS = ['safetySettings', 'cachedContent', 'labels'] as const;

function toEffort({ thinkingLevel }: ThinkingConfig = {}): string | undefined {
  return thinkingLevel && !/unspecified/i.test(thinkingLevel) ? thinkingLevel.toLowerCase() : undefined;
}
