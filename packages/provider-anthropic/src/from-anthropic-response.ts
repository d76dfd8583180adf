import { isPlainObject } from '@thole/core/kit';
import type { AnswerBuilder } from './answer-builder.ts';
import { notAMessage } from './map-anthropic-error.ts';

/**
 * Adds a complete message to an answer. Throws the provider's error if the body contains an error, and `MODEL_PROTOCOL`
 * for any other body.
 */
export function addAnthropicResponse(answer: unknown, builder: AnswerBuilder): void {
  if (!isPlainObject(answer) || answer['type'] !== 'message') throw notAMessage(answer);
  builder.addMessage(answer);
}
