import { TholeError } from '@thole/core';
import { definedMembers, isPlainObject } from '@thole/core/kit';
import type { GenerateContentConfig, JsonObject, LlmRequest, ThinkingConfig } from '@thole/core';
import type OpenAI from 'openai';
import { endpointIn } from './openai-options.ts';
import type { RequestTarget } from './openai-options.ts';
import { readProviderOptions } from './provider-options.ts';
import { toPromptCache } from './to-prompt-cache.ts';
import { mergeOptions } from './responses/merge-options.ts';
import { isThinkingModel } from './responses/is-thinking-model.ts';
import { toInputItems } from './responses/to-input-items.ts';
import { toTextFormat } from './responses/to-text-format.ts';
import { toToolChoice } from './responses/to-tool-choice.ts';
import { toTools } from './responses/to-tools.ts';

/**
 * Returns a request in the format of the Responses API. `providerOptions` (under the provider's name; `openai` for
 * OpenAI and Azure) are merged into it, plain objects member by member; null removes a member, and the lists `tools`
 * and `include` are joined. This package reads two of their members itself: `strict` turns strict mode on or off
 * (default: on for `responseJsonSchema` if it fits, off for functions), and `strictTools` does so for functions
 * only. The server stores nothing unless `store` is set, and reasoning is returned encrypted. With
 * `previous_response_id` or `conversation`, only contents after the model's last one are sent. The API has no
 * `topK`, `seed`, `thinkingBudget`, `safetySettings`, `cachedContent` and `labels`, and OpenAI's thinking models
 * have no `temperature` and `topP`: `leaveOut` is called with their names. Throws `INVALID_INPUT` for `stopSequences`, which
 * would change the answer, for `background`, which returns no answer, for unsupported tools, and for unsupported
 * media in the user's newest message; throws `SCHEMA_UNSUPPORTED` with the path for unsupported schemas.
 */
export function toOpenAiRequest(request: LlmRequest, target: RequestTarget): OpenAI.Responses.ResponseCreateParams {
  const { config, contents } = request;
  const { strict, strictTools, options } = readProviderOptions(request, target);
  const acceptsSamplingSettings = acceptsSampling(config, options, target);
  reportLeftOut(config, target, acceptsSamplingSettings);
  if (options['background'] === true) {
    throw new TholeError(
      'INVALID_INPUT',
      'background of the Responses API is not supported, because its answer comes later. Remove it.',
    );
  }
  if (config.stopSequences && config.stopSequences.length > 0) {
    throw new TholeError(
      'INVALID_INPUT',
      "OpenAI's Responses API does not support stopSequences. Remove them, or set api: 'chat'.",
    );
  }
  const tools = toTools(config.tools, { isStrict: strictTools, schemas: target.schemas });
  const hasTools = tools.length > 0 || Array.isArray(options['tools']);
  const format = toTextFormat(config, readStrict(strict, options), target.schemas);
  const body = definedMembers({
    model: target.deployment ?? target.model,
    instructions: config.systemInstruction || undefined,
    input: toInputItems(contents, {
      endpoint: endpointIn(target),
      isStored: options['store'] === true,
      acceptsReasoning: isThinkingModel(target.model) !== false,
      isContinued: Boolean(options['previous_response_id'] ?? options['conversation']),
    }),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: hasTools ? toToolChoice(config.toolConfig) : undefined,
    text: format && { format },
    temperature: acceptsSamplingSettings ? config.temperature : undefined,
    top_p: acceptsSamplingSettings ? config.topP : undefined,
    max_output_tokens: config.maxOutputTokens,
    reasoning: toReasoning(config.thinkingConfig),
    ...toPromptCache(request, target),
    store: false,
    include: includeFor(target.model, config, options),
  });
  const { stream: _, ...merged } = mergeOptions(body, options);
  return { ...merged, ...(target.stream && { stream: true }) } as OpenAI.Responses.ResponseCreateParams;
}

/** Returns the value of `strict`, from this package's option or from the API's own option. */
function readStrict(strict: boolean | undefined, options: JsonObject): boolean | undefined {
  const text = isPlainObject(options['text']) ? options['text'] : {};
  const format = isPlainObject(text['format']) ? text['format'] : {};
  return [strict, format['strict']].find((each) => typeof each === 'boolean') as boolean | undefined;
}

function toReasoning({ thinkingLevel, includeThoughts }: ThinkingConfig = {}): JsonObject | undefined {
  const reasoning: JsonObject = {};
  if (thinkingLevel && !/unspecified/i.test(thinkingLevel)) reasoning['effort'] = thinkingLevel.toLowerCase();
  if (includeThoughts) reasoning['summary'] = 'auto';
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/** True if the model accepts temperature and top_p: OpenAI's thinking models reject them unless thinking is off. */
export function acceptsSampling(config: GenerateContentConfig, options: JsonObject, target: RequestTarget): boolean {
  if (target.provider !== 'openai' || isThinkingModel(target.model) !== true) return true;
  const { effort } = isPlainObject(options['reasoning'])
    ? options['reasoning']
    : { effort: options['reasoning_effort'] };
  return (effort ?? config.thinkingConfig?.thinkingLevel?.toLowerCase()) === 'none';
}

function reportLeftOut(config: GenerateContentConfig, target: RequestTarget, acceptsSamplingSettings: boolean): void {
  const missing = [...(acceptsSamplingSettings ? [] : (['temperature', 'topP'] as const)), ...UNSUPPORTED_SETTINGS];
  for (const name of missing) if (config[name] !== undefined) target.leaveOut?.(name);
  if (config.thinkingConfig?.thinkingBudget !== undefined) target.leaveOut?.('thinkingConfig.thinkingBudget');
}

const UNSUPPORTED_SETTINGS = ['topK', 'seed', 'safetySettings', 'cachedContent', 'labels'] as const;

/** Returns `include`. Encrypted reasoning is not requested from models that do not think, because they reject it. */
function includeFor(model: string, config: GenerateContentConfig, options: JsonObject): string[] | undefined {
  const thinks = isThinkingModel(model) !== false || toReasoning(config.thinkingConfig) || options['reasoning'];
  const runsCode = config.tools?.some((tool) => 'codeExecution' in tool);
  const include = [
    ...(thinks && options['store'] !== true ? ['reasoning.encrypted_content'] : []),
    ...(runsCode ? ['code_interpreter_call.outputs'] : []),
  ];
  return include.length > 0 ? include : undefined;
}
