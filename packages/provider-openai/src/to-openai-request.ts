import { isPlainObject, TholeError } from '@thole/core';
import type { GenerateContentConfig, Json, JsonObject, LlmRequest, ThinkingConfig } from '@thole/core';
import type OpenAI from 'openai';
import type { RequestTarget } from './openai-options.ts';
import { mergeOptions } from './responses/merge-options.ts';
import { reasons } from './responses/reasons.ts';
import { toInputItems } from './responses/to-input-items.ts';
import { toTextFormat } from './responses/to-text-format.ts';
import { toToolChoice } from './responses/to-tool-choice.ts';
import { toTools } from './responses/to-tools.ts';

/**
 * What the Responses API is asked. `providerOptions` (under the provider's name, else under `openai`) are laid over it, plain objects
 * member by member; null leaves a member out, and the lists `tools` and `include` are added to ours. Two of its members are
 * ours: `strict` asks for strict mode, or against it (unasked, `responseJsonSchema` has it where it fits, functions never do), and
 * `strictTools` the same for functions alone. Nothing is kept on the server unless `store` says so, and reasoning comes encrypted.
 * With `previous_response_id` or `conversation` only what came after the model's last content is sent.
 * The API has no `topK`, `seed`, `thinkingBudget`, `safetySettings`, `cachedContent` and `labels`: they are left out.
 * `INVALID_INPUT` for `stopSequences`, which would change the answer, and for media and tools that the API does not take;
 * `SCHEMA_UNSUPPORTED`, naming the path, for schemas that it cannot take.
 */
export function toOpenAiRequest(request: LlmRequest, target: RequestTarget): OpenAI.Responses.ResponseCreateParams {
  const { config, contents, providerOptions = {} } = request;
  const {
    strict,
    strictTools = strict,
    ...options
  } = providerOptions[target.provider] ?? providerOptions['openai'] ?? {};
  if (config.stopSequences && config.stopSequences.length > 0) {
    throw new TholeError('INVALID_INPUT', 'OpenAI’s Responses API has no stopSequences.');
  }
  const tools = toTools(config.tools, strictTools === true);
  const hasTools = tools.length > 0 || Array.isArray(options['tools']);
  const format = toTextFormat(config, strictOf(strict, options));
  const body = withoutUndefined({
    model: target.model,
    instructions: config.systemInstruction || undefined,
    input: toInputItems(contents, {
      provider: target.provider,
      isStored: options['store'] === true,
      takesReasoning: reasons(target.model) !== false,
      isContinued: Boolean(options['previous_response_id'] ?? options['conversation']),
    }),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: hasTools ? toToolChoice(config.toolConfig) : undefined,
    text: format && { format },
    temperature: config.temperature,
    top_p: config.topP,
    max_output_tokens: config.maxOutputTokens,
    reasoning: toReasoning(config.thinkingConfig),
    store: false,
    include: includeFor(target.model, config, options),
  });
  const { stream: _, ...merged } = mergeOptions(body, options);
  return { ...merged, ...(target.stream && { stream: true }) } as OpenAI.Responses.ResponseCreateParams;
}

/** Asked for by our own option, or in the API's words. */
function strictOf(strict: Json | undefined, options: JsonObject): boolean | undefined {
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

/** Models that do not think refuse to be asked for encrypted reasoning. */
function includeFor(model: string, config: GenerateContentConfig, options: JsonObject): string[] | undefined {
  const thinks = reasons(model) || toReasoning(config.thinkingConfig) || options['reasoning'];
  const runsCode = config.tools?.some((tool) => 'codeExecution' in tool);
  const include = [
    ...(thinks && options['store'] !== true ? ['reasoning.encrypted_content'] : []),
    ...(runsCode ? ['code_interpreter_call.outputs'] : []),
  ];
  return include.length > 0 ? include : undefined;
}

const withoutUndefined = (body: { [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as JsonObject;
