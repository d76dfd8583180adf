import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject, LlmResponse, TholeError } from '@thole/core';
import { openAiFailure } from './map-openai-error.ts';
import { endpointIn } from './openai-options.ts';
import type { RequestTarget } from './openai-options.ts';
import { fromOutputItems } from './responses/from-output-items.ts';
import { findBlockReason } from './responses/find-block-reason.ts';
import { readCitations } from './responses/read-citations.ts';
import { readFinish } from './responses/read-finish.ts';
import { readUsage } from './responses/read-usage.ts';

/**
 * Returns the final response for an answer of the Responses API, also for a blocked answer. Items that are not parts
 * and unknown members are in `customMetadata`. Throws the error of `openAiFailure` for an answer that failed or is
 * not an answer, and `MODEL_INCOMPLETE` for an answer in progress.
 */
export function fromOpenAiResponse(answer: unknown, target: RequestTarget): LlmResponse {
  if (!isPlainObject(answer)) throw openAiFailure(answer);
  if (isFailed(answer) && findBlockReason(answer) === undefined) throw failureOf(answer);
  const output: readonly unknown[] = Array.isArray(answer['output']) ? answer['output'] : [];
  const { parts: received, others, isRefused } = fromOutputItems(output, endpointIn(target).name);
  const finish = readFinish(answer, isRefused);
  // The calls of a blocked answer must not run.
  const parts = finish.errorCode === undefined ? received : received.filter((part) => part.functionCall === undefined);
  const usageMetadata = readUsage(answer['usage']);
  const { id, model } = answer;
  const customMetadata = {
    ...(typeof id === 'string' && { responseId: id }),
    ...unreadMembers(answer),
    ...(others.length > 0 && { items: others }),
  };
  return {
    ...(parts.length > 0 && { content: { role: 'model', parts } }),
    ...finish,
    ...(usageMetadata && { usageMetadata }),
    ...readCitations(parts, others, endpointIn(target)),
    ...(typeof model === 'string' && { modelVersion: model }),
    ...(Object.keys(customMetadata).length > 0 && { customMetadata }),
  };
}

/** Returns the error of a failed answer, also if the server gives no reason. */
function failureOf(answer: { readonly [member: string]: unknown }): TholeError {
  const hasNoReason = answer['status'] === 'failed' && !answer['error'];
  return openAiFailure(hasNoReason ? { error: { message: 'The answer failed.' } } : answer);
}

function isFailed(answer: { readonly [member: string]: unknown }): boolean {
  if (answer['status'] === 'failed' || (answer['error'] !== undefined && answer['error'] !== null)) return true;
  return !Array.isArray(answer['output']) && answer['object'] !== 'response';
}

/** Members that are not kept in `customMetadata`: they are read, or they repeat the request. */
const READ_OR_ECHOED: readonly string[] = [
  ...['id', 'object', 'created_at', 'completed_at', 'status', 'error', 'incomplete_details', 'model', 'output'],
  ...['output_text', 'usage', 'input', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'background'],
  ...[
    'parallel_tool_calls',
    'previous_response_id',
    'prompt',
    'prompt_cache_key',
    'prompt_cache_retention',
    'reasoning',
  ],
  ...['prompt_cache_options', 'reasoning_effort', 'safety_identifier', 'store', 'temperature', 'text', 'tool_choice'],
  ...['tools', 'top_logprobs', 'top_p', 'truncation', 'user', 'image', 'frequency_penalty', 'presence_penalty'],
  ...['access_programs', 'stream', 'include', 'context_management'],
];

function unreadMembers(answer: { readonly [member: string]: unknown }): JsonObject {
  const kept = Object.entries(answer).filter(([name, value]) => !READ_OR_ECHOED.includes(name) && !isEmptyValue(value));
  return Object.fromEntries(kept) as { [name: string]: Json };
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
