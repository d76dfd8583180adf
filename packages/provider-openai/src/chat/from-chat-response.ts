import type { LlmResponse } from '@thole/core';
import type { RequestTarget } from '../openai-options.ts';
import { ChatAnswer } from './chat-answer.ts';

/** Returns the final response of a call without streaming. Throws the error that the body holds. */
export function fromChatResponse(answer: unknown, target: RequestTarget): LlmResponse {
  const whole = new ChatAnswer(target);
  whole.addWhole(answer);
  whole.end();
  return whole.final();
}
