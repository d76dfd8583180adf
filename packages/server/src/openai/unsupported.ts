import { isPlainObject } from '@thole/core/kit';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { openAiError } from './open-ai-error.ts';

const isNotEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length > 0;
const isSet = (value: unknown): boolean => value !== false;
const isNotTextFormat = (value: unknown): boolean => !isPlainObject(value) || value['type'] !== 'text';

/** Parameters for features that agents do not support. Each function returns true for the values that are rejected. */
const rejectedParameters: { readonly [name: string]: (value: unknown) => boolean } = {
  tools: isNotEmptyList,
  functions: isNotEmptyList,
  n: (value) => value !== 1,
  logprobs: isSet,
  response_format: isNotTextFormat,
  text: (value) => !isPlainObject(value) || (value['format'] != null && isNotTextFormat(value['format'])),
  modalities: (value) => !Array.isArray(value) || value.some((each) => each !== 'text'),
  audio: isSet,
  web_search_options: isSet,
  background: isSet,
  prompt: isSet,
};

/** Parameters of the model, the provider or the billing. They are ignored, because the agent has its own settings. */
const ignoredParameters: readonly string[] = [
  ...['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'frequency_penalty'],
  ...['presence_penalty', 'stop', 'seed', 'logit_bias', 'top_logprobs', 'reasoning', 'reasoning_effort', 'verbosity'],
  ...['tool_choice', 'function_call', 'parallel_tool_calls', 'max_tool_calls', 'prediction', 'service_tier'],
  ...['safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'truncation'],
  ...['include', 'context_management', 'moderation'],
];

/** Members of a schema for the parameters that are rejected or ignored. */
export const otherParameters: { readonly [name: string]: ZodType } = Object.fromEntries(
  [...Object.keys(rejectedParameters), ...ignoredParameters].map((name) => [name, z.unknown().optional()]),
);

/** Throws `INVALID_INPUT` with the name of the first parameter that is not supported. */
export function assertSupported(body: object): void {
  for (const [name, isRejected] of Object.entries(rejectedParameters)) {
    const value = (body as { [name: string]: unknown })[name];
    if (value === undefined || value === null || !isRejected(value)) continue;
    const message = `The parameter ${name} is not supported with this value: the agent has its own settings. Remove it.`;
    throw openAiError(message, { param: name, code: 'unsupported_parameter' });
  }
}
