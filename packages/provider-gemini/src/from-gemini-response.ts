import { isPlainObject } from '@thole/core/kit';
import { errorIn, notGemini } from './map-gemini-error.ts';

/**
 * Returns the chunk, or the complete answer, as an object. Throws the error that it contains, or `MODEL_PROTOCOL` if
 * it is not a JSON object.
 */
export function checkChunk(chunk: unknown): { readonly [key: string]: unknown } {
  const error = isPlainObject(chunk) && isPlainObject(chunk['error']) ? errorIn(chunk) : undefined;
  if (error) throw error;
  if (!isPlainObject(chunk)) throw notGemini('its answer is not a JSON object');
  return chunk;
}
