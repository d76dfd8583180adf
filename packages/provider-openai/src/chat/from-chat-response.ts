import type { LlmResponse } from '@thole/core';
import type { RequestTarget } from '../openai-options.ts';
import { ChatAnswer } from './chat-answer.ts';

/** Returns the final response of a call without streaming. Throws the error that the body contains. */
export function fromChatResponse(answer: unknown, target: RequestTarget): LlmResponse {
  const chatAnswer = new ChatAnswer(target);
  chatAnswer.addBody(answer);
  chatAnswer.end();
  return chatAnswer.toResponse();
}
