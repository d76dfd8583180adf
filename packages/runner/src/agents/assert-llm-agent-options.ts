import { TholeError } from '@thole/core';
import { assertName, didYouMean, failInvalidJson, invalidInput, JsonCopier } from '@thole/core/kit';
import type { GenerateContentConfig, JsonObject } from '@thole/core';
import { assertToolNames } from '../request/add-tools.ts';
import { checkCallback, checkOption } from './base-agent.ts';
import type { LlmAgentOptions } from './llm-agent-options.ts';

const STRINGS = ['staticInstruction', 'outputKey'] as const;
const INSTRUCTIONS = ['instruction', 'globalInstruction'] as const;
const BOOLEANS = ['disallowTransferToParent', 'disallowTransferToPeers'] as const;
const CALLBACKS = [
  'beforeModelCallback',
  'afterModelCallback',
  'onModelErrorCallback',
  'beforeToolCallback',
  'afterToolCallback',
  'onToolErrorCallback',
] as const;
const OTHER_OPTIONS = [
  'model',
  'tools',
  'outputSchema',
  'inputSchema',
  'includeContents',
  'generateContentConfig',
  'providerOptions',
] as const;

/** The names of the options that `LlmAgent` adds to those of every agent. */
export const LLM_AGENT_OPTIONS: readonly (keyof LlmAgentOptions)[] = [
  ...STRINGS,
  ...INSTRUCTIONS,
  ...BOOLEANS,
  ...CALLBACKS,
  ...OTHER_OPTIONS,
];

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
  for (const option of STRINGS) checkOption(options, option, options[option], 'string');
  for (const option of BOOLEANS) checkOption(options, option, options[option], 'boolean');
  for (const option of CALLBACKS) checkCallback(options, option, options[option]);
  for (const option of INSTRUCTIONS) {
    const value = options[option];
    if (value === undefined || typeof value === 'string' || typeof value === 'function') continue;
    throw invalidInput(`Agent ${options.name}: ${option}`, 'a string or a function', value);
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
