import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { AnswerBuilder } from './answer-builder.ts';
import { notAMessage } from './map-anthropic-error.ts';

/**
 * Returns the final response of a complete message. Throws the provider's error if the body contains an error, and
 * `MODEL_PROTOCOL` for any other body. `endpoint` is written to parts that only the endpoint understands.
 */
export function fromAnthropicResponse(answer: unknown, endpoint: string = 'anthropic'): LlmResponse {
  const builder = new AnswerBuilder(endpoint);
  addAnthropicResponse(answer, builder);
  return builder.toResponse();
}

/** Adds a complete message to an answer. Throws as `fromAnthropicResponse` does. */
export function addAnthropicResponse(answer: unknown, builder: AnswerBuilder): void {
  if (!isPlainObject(answer) || answer['type'] !== 'message') throw notAMessage(answer);
  builder.addMessage(answer);
}
