import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { GatheredAnswer } from './gathered-answer.ts';
import { errorIn, notGemini } from './map-gemini-error.ts';

/** Returns the final response of a call without streaming. Throws the error that the answer holds. */
export function fromGeminiResponse(answer: unknown): LlmResponse {
  const gathered = new GatheredAnswer();
  gathered.add(checkPiece(answer));
  return gathered.final();
}

/**
 * Returns a chunk of an answer, or the complete answer, as JSON. Throws the error that it holds, or
 * `MODEL_UNAVAILABLE` if it is not an answer of Gemini.
 */
export function checkPiece(piece: unknown): { readonly [key: string]: unknown } {
  const error = isPlainObject(piece) && isPlainObject(piece['error']) ? errorIn(piece) : undefined;
  if (error) throw error;
  if (!isPlainObject(piece)) throw notGemini('its answer is not a JSON object');
  return piece;
}
