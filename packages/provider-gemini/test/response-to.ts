import type { LlmResponse } from '@thole/core';
import { AnswerBuilder } from '../src/answer-builder.ts';
import { checkChunk } from '../src/from-gemini-response.ts';

/** Returns the final response of an answer without streaming. */
export function responseTo(answer: unknown): LlmResponse {
  const builder = new AnswerBuilder();
  builder.add(checkChunk(answer));
  return builder.toResponse();
}
