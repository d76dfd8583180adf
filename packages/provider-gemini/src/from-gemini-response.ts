import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { GatheredAnswer } from './gathered-answer.ts';
import { errorIn, notGemini } from './map-gemini-error.ts';

/** The one final of a call that is not streamed. Throws the error that stands in the answer's place. */
export function fromGeminiResponse(answer: unknown): LlmResponse {
  const gathered = new GatheredAnswer();
  gathered.add(checkPiece(answer));
  return gathered.final();
}

/** A piece of an answer, or the whole, as JSON. Throws the error that it is, or `MODEL_UNAVAILABLE` for what Gemini never says. */
export function checkPiece(piece: unknown): { readonly [key: string]: unknown } {
  const error = isPlainObject(piece) && isPlainObject(piece['error']) ? errorIn(piece) : undefined;
  if (error) throw error;
  if (!isPlainObject(piece)) throw notGemini('its answer is no JSON object');
  return piece;
}
