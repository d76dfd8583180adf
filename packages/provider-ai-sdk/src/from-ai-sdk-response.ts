import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { AnswerDraft, toJson } from './answer-draft.ts';
import type { AnswerContent } from './answer-draft.ts';
import { readFinish } from './read-finish.ts';
import { readSources } from './read-sources.ts';
import { readUsage } from './read-usage.ts';

/** The members that the AI SDK returns next to the content of an answer. */
export interface AnswerEnd {
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
  /** Id and model of the answer. */
  readonly response?: unknown;
}

/**
 * Returns the final response for the result of `doGenerate`, also for a blocked answer. Data that only the provider
 * understands is in `partMetadata`, its other metadata in `customMetadata.providerMetadata`. Throws
 * `MODEL_INCOMPLETE` for an interrupted answer, and `MODEL_PROTOCOL` for a result without content.
 */
export function fromAiSdkResponse(result: unknown, endpoint: Endpoint): LlmResponse {
  const draft = new AnswerDraft();
  const { content, ...end } = isPlainObject(result) ? result : {};
  if (!Array.isArray(content))
    throw new TholeError('MODEL_PROTOCOL', 'The AI SDK model returned a result without a list of content.');
  for (const each of content as unknown[]) if (isPlainObject(each)) draft.add(each);
  return toFinalResponse(draft, end as AnswerEnd, endpoint);
}

/** Returns the final response of an answer. */
export function toFinalResponse(draft: AnswerDraft, end: AnswerEnd, endpoint: Endpoint): LlmResponse {
  const { parts: received, others, ...citedSources } = draft.toParts(endpoint.name);
  const finish = readFinish(end.finishReason, end.usage, received);
  // The calls of a blocked answer must not run.
  const parts = finish.errorCode === undefined ? received : received.filter((part) => part.functionCall === undefined);
  const usageMetadata = readUsage(end.usage);
  const providerMetadata = toJson(end.providerMetadata);
  const { id, modelId } = (isPlainObject(end.response) ? end.response : {}) as AnswerContent;
  const customMetadata: JsonObject = {
    ...(typeof id === 'string' && { responseId: id }),
    ...(providerMetadata && { providerMetadata }),
    ...(others.length > 0 && { items: [...others] }),
  };
  return {
    ...(parts.length > 0 && { content: { role: 'model', parts } }),
    ...finish,
    ...(usageMetadata && { usageMetadata }),
    ...readSources(citedSources, providerMetadata),
    ...(typeof modelId === 'string' && modelId !== '' && { modelVersion: modelId }),
    ...(Object.keys(customMetadata).length > 0 && { customMetadata }),
  };
}
