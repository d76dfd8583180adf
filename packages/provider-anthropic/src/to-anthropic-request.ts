import { TholeError } from '@thole/core';
import { definedMembers, invalidInput, isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmRequest } from '@thole/core';
import { withCacheBreakpoints } from './cache-breakpoints.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';
import { toAnthropicSchema } from './to-anthropic-schema.ts';
import { toAnthropicTools, toToolChoice } from './to-anthropic-tools.ts';
import { fitBudget, toThinking } from './to-thinking.ts';
import type { RequestTarget } from './anthropic-options.ts';

/** A body of the Messages API, and the beta features that it uses. */
export interface AnthropicRequest {
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

/** Default of `max_tokens`, which the API requires. Every current model supports this value. */
const DEFAULT_MAX_TOKENS = 32_000;

/**
 * Returns a request in the format of the Messages API. `providerOptions.anthropic` is merged into the body, plain
 * objects member by member; null removes a member, and the list `tools` is joined. This package reads two of its
 * members itself: `betas` (names of beta features) and `citations` (true to let Claude cite documents). The API has no
 * `seed`, `safetySettings`, `cachedContent` and `labels`, and no sampling settings while Claude thinks: `leaveOut` is
 * called with their names. Throws `SCHEMA_UNSUPPORTED` for parameters of a tool that are not an object, and `INVALID_INPUT` for
 * tools that Claude does not have and for unsupported media in the user's newest message.
 */
export function toAnthropicRequest(request: LlmRequest, target: RequestTarget): AnthropicRequest {
  const { config, contents, contextCache } = request;
  const { betas, citations, options } = readOptions(request);
  const tools = toAnthropicTools(config);
  const hasTools = tools.length > 0 || Array.isArray(options['tools']);
  const toolChoice = hasTools ? toToolChoice(config.toolConfig) : undefined;
  const messages = toAnthropicMessages(contents, { endpoint: target.endpoint, hasCitations: citations });
  const isForced = toolChoice?.['type'] === 'any' || toolChoice?.['type'] === 'tool';
  const requested = toThinking(config.thinkingConfig, { target, messages, isForced });
  const maxTokens = maxTokensOf(request, target, requested.thinking);
  const thinking = fitBudget(requested.thinking, maxTokens);
  if (requested.thinking && !thinking) target.leaveOut?.('thinkingConfig');
  const isThinking = thinking !== undefined && thinking['type'] !== 'disabled';
  const acceptsSamplingSettings = !isThinking && !isPlainObject(options['thinking']);
  reportLeftOut(request, target, acceptsSamplingSettings);
  const format = toFormat(request);
  const body: { [name: string]: unknown } = {
    model: target.model,
    max_tokens: maxTokens,
    system: systemOf(config.systemInstruction, format.instruction),
    messages,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: toolChoice,
    stop_sequences: config.stopSequences && config.stopSequences.length > 0 ? [...config.stopSequences] : undefined,
    temperature: acceptsSamplingSettings ? config.temperature : undefined,
    top_p: acceptsSamplingSettings ? config.topP : undefined,
    top_k: acceptsSamplingSettings ? config.topK : undefined,
    thinking,
    output_config: mergeMembers(
      requested.effort && { effort: requested.effort },
      format.schema && { format: format.schema },
    ),
  };
  const merged = merge(definedMembers(body) as JsonObject, options);
  const cached = contextCache ? withCacheBreakpoints(merged, contextCache) : merged;
  return { body: { ...cached, ...(target.stream && { stream: true }) }, betas };
}

/** Returns the instruction to answer with JSON of this schema, for a model without structured outputs. */
export function describeSchema(schema: unknown): string {
  return `Answer only with JSON that is valid against this JSON Schema: ${JSON.stringify(schema)}`;
}

function readOptions({ providerOptions = {} }: LlmRequest): {
  betas: readonly string[];
  citations: boolean;
  options: JsonObject;
} {
  const given = providerOptions['anthropic'] ?? {};
  if (!isPlainObject(given)) throw invalidInput('providerOptions.anthropic', 'an object', given);
  const { betas = [], citations = false, stream: _, ...options } = given as JsonObject;
  if (!Array.isArray(betas) || !betas.every((each) => typeof each === 'string'))
    throw invalidInput('providerOptions.anthropic.betas', 'a list of strings', betas);
  if (typeof citations !== 'boolean') throw invalidInput('providerOptions.anthropic.citations', 'a boolean', citations);
  if (options['messages'] !== undefined)
    throw new TholeError('INVALID_INPUT', 'providerOptions.anthropic.messages is not an option of the model.');
  return { betas: betas as string[], citations, options };
}

function toFormat({ config }: LlmRequest): { schema?: JsonObject | undefined; instruction?: string | undefined } {
  const { responseJsonSchema: given, responseMimeType } = config;
  if (given) {
    const schema = toAnthropicSchema(given);
    return schema ? { schema: { type: 'json_schema', schema } } : { instruction: describeSchema(given) };
  }
  return responseMimeType === 'application/json' ? { instruction: 'Answer only with JSON.' } : {};
}

function systemOf(instruction: string | undefined, formatInstruction: string | undefined): string | undefined {
  return [instruction, formatInstruction].filter(Boolean).join('\n\n') || undefined;
}

/** Returns the limit of tokens. Thoughts count towards it, so it is increased for a large budget of thoughts. */
function maxTokensOf({ config }: LlmRequest, { maxTokens }: RequestTarget, thinking: JsonObject | undefined): number {
  if (config.maxOutputTokens !== undefined) return config.maxOutputTokens;
  const budget = typeof thinking?.['budget_tokens'] === 'number' ? thinking['budget_tokens'] : 0;
  return maxTokens ?? Math.max(DEFAULT_MAX_TOKENS, budget + DEFAULT_MAX_TOKENS / 4);
}

const UNSUPPORTED_SETTINGS = ['seed', 'safetySettings', 'cachedContent', 'labels'] as const;

function reportLeftOut({ config }: LlmRequest, target: RequestTarget, acceptsSamplingSettings: boolean): void {
  const missing = [
    ...(acceptsSamplingSettings ? [] : (['temperature', 'topP', 'topK'] as const)),
    ...UNSUPPORTED_SETTINGS,
  ];
  for (const name of missing) if (config[name] !== undefined) target.leaveOut?.(name);
}

function merge(body: JsonObject, options: JsonObject): JsonObject {
  const merged: JsonObject = { ...body };
  for (const [name, value] of Object.entries(options)) {
    const current = merged[name];
    if (value === null) delete merged[name];
    else if (name === 'tools' && Array.isArray(current) && Array.isArray(value)) merged[name] = [...current, ...value];
    else if (name !== 'thinking' && isPlainObject(current) && isPlainObject(value))
      merged[name] = { ...(current as JsonObject), ...(value as JsonObject) };
    else merged[name] = value;
  }
  return merged;
}

function mergeMembers(...members: (JsonObject | undefined | '')[]): JsonObject | undefined {
  const merged = Object.assign({}, ...members.filter(Boolean)) as JsonObject;
  return Object.keys(merged).length > 0 ? merged : undefined;
}
