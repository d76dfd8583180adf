import { normalizeSchema } from '@thole/core/kit';
import type { GenerateContentConfig, LlmRequest, ThinkingConfig } from '@thole/core';
import { mergeProviderOptions } from './ai-sdk-options.ts';
import type { RequestTarget } from './ai-sdk-options.ts';
import { toAiSdkPrompt } from './to-ai-sdk-prompt.ts';
import type { PromptMessage } from './to-ai-sdk-prompt.ts';
import { toAiSdkTools } from './to-ai-sdk-tools.ts';

/** Options of a call in the AI SDK's format. Only files differ between v3 and v4. */
export interface AiSdkCall {
  readonly prompt: readonly PromptMessage[];
  readonly [setting: string]: unknown;
}

/**
 * Returns the options of a call of `doGenerate` or `doStream`, without its signal. `request.providerOptions` replace
 * members of the model's own options. Settings that the AI SDK does not have (`thinkingBudget`, `includeThoughts`,
 * `safetySettings`, `cachedContent`, `labels`; for models of v3 also `thinkingLevel`) are left out: `leaveOut` is called
 * with their names. Throws `INVALID_INPUT` for tools and files that the model does not accept.
 */
export function toAiSdkRequest(request: LlmRequest, target: RequestTarget): AiSdkCall {
  const { config } = request;
  const { temperature, topP, topK, maxOutputTokens, seed, stopSequences } = config;
  reportLeftOut(config, target);
  const providerOptions = mergeProviderOptions(target.providerOptions, request.providerOptions);
  const responseFormat = toResponseFormat(config);
  const reasoning = target.version === 'v4' ? toReasoning(config.thinkingConfig) : undefined;
  return {
    prompt: toAiSdkPrompt(request, target),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences && stopSequences.length > 0 && { stopSequences: [...stopSequences] }),
    ...(responseFormat && { responseFormat }),
    ...toAiSdkTools(config, target),
    ...(reasoning && { reasoning }),
    ...(target.headers && { headers: { ...target.headers } }),
    ...(providerOptions && { providerOptions }),
  };
}

function toResponseFormat({ responseJsonSchema, responseMimeType }: GenerateContentConfig): object | undefined {
  if (responseJsonSchema) return { type: 'json', schema: normalizeSchema(responseJsonSchema), name: 'response' };
  return responseMimeType === 'application/json' ? { type: 'json' } : undefined;
}

const LEVELS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Returns the AI SDK's name of the thinking level. A budget of 0 turns thinking off. */
function toReasoning(thinking: ThinkingConfig | undefined): string | undefined {
  const level = thinking?.thinkingLevel?.toLowerCase();
  if (level !== undefined && LEVELS.includes(level)) return level;
  return thinking?.thinkingBudget === 0 ? 'none' : undefined;
}

function reportLeftOut(config: GenerateContentConfig, { version, leaveOut }: RequestTarget): void {
  for (const name of ['safetySettings', 'cachedContent', 'labels'] as const)
    if (config[name] !== undefined) leaveOut?.(name);
  const { thinkingLevel, thinkingBudget, includeThoughts } = config.thinkingConfig ?? {};
  const isSent = version === 'v4' && toReasoning(config.thinkingConfig) !== undefined;
  const isLevel = thinkingLevel !== undefined && !/unspecified/i.test(thinkingLevel);
  if (isLevel && !isSent) leaveOut?.('thinkingConfig.thinkingLevel');
  if (thinkingBudget !== undefined && !(isSent && thinkingBudget === 0)) leaveOut?.('thinkingConfig.thinkingBudget');
  if (includeThoughts === true) leaveOut?.('thinkingConfig.includeThoughts');
}
