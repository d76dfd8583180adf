import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';
import type { RequestTarget } from '../openai-options.ts';
import { ChatAnswer } from './chat-answer.ts';

/**
 * Returns the final response of a call without streaming, also for a blocked answer. Throws any other error that the body
 * contains.
 */
export function fromChatResponse(answer: unknown, target: RequestTarget): LlmResponse {
  const chatAnswer = new ChatAnswer(target);
  try {
    chatAnswer.addBody(answer);
  } catch (error) {
    if (!TholeError.is(error, 'MODEL_BLOCKED')) throw error;
    chatAnswer.block(error.message);
  }
  chatAnswer.end();
  return chatAnswer.toResponse();
}
