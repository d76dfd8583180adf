import { TholeError } from '@thole/core';

/** An error of the provider as one of ours; one that has a code already is left alone. */
export function mapGeminiError(error: unknown): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('MODEL_FAILED', 'Gemini failed.', { cause: error });
}
