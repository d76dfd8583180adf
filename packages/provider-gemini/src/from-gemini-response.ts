import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { AnswerBuilder } from './answer-builder.ts';
import { errorIn, notGemini } from './map-gemini-error.ts';

/** Returns the final response of a call without streaming. Throws the error that the answer contains. */
export function fromGeminiResponse(answer: unknown): LlmResponse {
  const builder = new AnswerBuilder();
  builder.add(checkChunk(answer));
  return builder.toResponse();
}

/**
 * Returns the chunk, or the complete answer, as an object. Throws the error that it contains, or `MODEL_PROTOCOL` if
 * it is not a JSON object.
 */
export function checkChunk(chunk: unknown): { readonly [key: string]: unknown } {
  const error = isPlainObject(chunk) && isPlainObject(chunk['error']) ? errorIn(chunk) : undefined;
  if (error) throw error;
  if (!isPlainObject(chunk)) throw notGemini('its answer is not a JSON object');
  return chunk;
}
