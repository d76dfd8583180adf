import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { GatheredAnswer } from './gathered-answer.ts';
import { notAMessage } from './map-anthropic-error.ts';

/**
 * Returns the final response of a complete message. Throws the provider's error if the body holds one, and
 * `MODEL_PROTOCOL` for another body. `endpoint` is written to parts that only the endpoint understands.
 */
export function fromAnthropicResponse(answer: unknown, endpoint: string = 'anthropic'): LlmResponse {
  const gathered = new GatheredAnswer(endpoint);
  addAnthropicResponse(answer, gathered);
  return gathered.final();
}

/** Adds a complete message to an answer. Throws as `fromAnthropicResponse` does. */
export function addAnthropicResponse(answer: unknown, gathered: GatheredAnswer): void {
  if (!isPlainObject(answer) || answer['type'] !== 'message') throw notAMessage(answer);
  gathered.addMessage(answer);
}
