import type { LlmResponse } from '@thole/core';
import type { RequestTarget } from '../openai-options.ts';
import { ChatAnswer } from './chat-answer.ts';

/** The one final of a call that is not streamed. Throws what the body says is wrong, by the table of errors. */
export function fromChatResponse(answer: unknown, target: RequestTarget): LlmResponse {
  const whole = new ChatAnswer(target);
  whole.addWhole(answer);
  whole.end();
  return whole.final();
}
