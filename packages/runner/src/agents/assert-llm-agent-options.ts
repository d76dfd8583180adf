import { TholeError } from '@thole/core';
import { assertName, didYouMean, failInvalidJson, invalidInput, JsonCopier } from '@thole/core/kit';
import type { GenerateContentConfig, JsonObject } from '@thole/core';
import { assertToolNames } from '../request/add-tools.ts';
import { checkCallback, checkOption } from './base-agent.ts';
import type { BaseAgentOptions } from './base-agent.ts';
import type { LlmAgentOptions } from './llm-agent-options.ts';

type OwnOption = Exclude<keyof LlmAgentOptions, keyof BaseAgentOptions>;
type OptionKind = 'string' | 'boolean' | 'instruction' | 'callback' | 'other';

/** The options that `LlmAgent` adds to those of every agent, and how their values are checked. */
const KINDS: Readonly<Record<OwnOption, OptionKind>> = {
  model: 'other',
  instruction: 'instruction',
  globalInstruction: 'instruction',
  staticInstruction: 'string',
  tools: 'other',
  outputKey: 'string',
  outputSchema: 'other',
  inputSchema: 'other',
  includeContents: 'other',
  disallowTransferToParent: 'boolean',
  disallowTransferToPeers: 'boolean',
  generateContentConfig: 'other',
  providerOptions: 'other',
  beforeModelCallback: 'callback',
  afterModelCallback: 'callback',
  onModelErrorCallback: 'callback',
  beforeToolCallback: 'callback',
  afterToolCallback: 'callback',
  onToolErrorCallback: 'callback',
};

/** The names of the options that `LlmAgent` adds to those of every agent. */
export const LLM_AGENT_OPTIONS: readonly OwnOption[] = Object.keys(KINDS) as OwnOption[];

/** Settings of the request that are not allowed in `generateContentConfig`, and the option to use instead. */
const OPTION_BY_SETTING: { readonly [key: string]: string } = {
  systemInstruction: 'instruction',
  tools: 'tools',
  responseJsonSchema: 'outputSchema',
  responseMimeType: 'outputSchema',
};

const CONFIG_NAMES = {
  systemInstruction: true,
  tools: true,
  toolConfig: true,
  responseJsonSchema: true,
  responseMimeType: true,
  temperature: true,
  topP: true,
  topK: true,
  maxOutputTokens: true,
  stopSequences: true,
  seed: true,
  thinkingConfig: true,
  safetySettings: true,
  cachedContent: true,
  labels: true,
} satisfies Record<keyof GenerateContentConfig, true>;

function unknownConfig(agent: string, key: string): TholeError {
  const suggestion = didYouMean(key, Object.keys(CONFIG_NAMES)) || ' Put options of one provider into providerOptions.';
  return new TholeError('INVALID_INPUT', `Agent ${agent}: generateContentConfig has no member ${key}.${suggestion}`);
}

/** Throws `INVALID_INPUT` for options of the wrong type. Returns frozen copies of the options that are plain data. */
export function assertLlmAgentOptions(options: LlmAgentOptions): {
  generateContentConfig: GenerateContentConfig | undefined;
  providerOptions: { [provider: string]: JsonObject } | undefined;
} {
  for (const option of LLM_AGENT_OPTIONS) {
    const kind = KINDS[option];
    const value = options[option];
    if (kind === 'string' || kind === 'boolean') checkOption(options, option, value, kind);
    else if (kind === 'callback') checkCallback(options, option, value);
    else if (kind === 'instruction') checkInstruction(options, option, value);
  }
  if (options.outputKey !== undefined) assertName(`Agent ${options.name}: outputKey`, options.outputKey);
  checkModelOption(options);
  assertTools(options);
  const { includeContents } = options;
  if (includeContents !== undefined && includeContents !== 'default' && includeContents !== 'none') {
    throw new TholeError('INVALID_INPUT', `Agent ${options.name}: includeContents must be 'default' or 'none'.`);
  }
  for (const key of Object.keys(options.generateContentConfig ?? {})) {
    if (!Object.hasOwn(CONFIG_NAMES, key)) throw unknownConfig(options.name, key);
    if (!Object.hasOwn(OPTION_BY_SETTING, key)) continue;
    throw new TholeError(
      'INVALID_INPUT',
      `Agent ${options.name}: generateContentConfig.${key} is set by the option ${OPTION_BY_SETTING[key]}.`,
    );
  }
  return {
    generateContentConfig: copyData(options, 'generateContentConfig') as GenerateContentConfig | undefined,
    providerOptions: copyData(options, 'providerOptions') as { [provider: string]: JsonObject } | undefined,
  };
}

function checkInstruction({ name }: LlmAgentOptions, option: string, value: unknown): void {
  if (value === undefined || typeof value === 'string' || typeof value === 'function') return;
  throw invalidInput(`Agent ${name}: ${option}`, 'a string or a function', value);
}

function checkModelOption({ name, model }: LlmAgentOptions): void {
  if (model === undefined || (typeof model === 'string' && model !== '')) return;
  if (typeof model === 'object' && model !== null && typeof model.generateContentAsync === 'function') return;
  throw invalidInput(`Agent ${name}: model`, 'a model or a model name', model);
}

function assertTools({ name, tools }: LlmAgentOptions): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw invalidInput(`Agent ${name}: tools`, 'a list of tools and toolsets', tools);
  assertToolNames(name, tools);
}

function copyData(options: LlmAgentOptions, option: 'generateContentConfig' | 'providerOptions'): unknown {
  const value: unknown = options[option];
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput(`Agent ${options.name}: ${option}`, 'an object', value);
  }
  return new JsonCopier(failInvalidJson).copy(value, option);
}
