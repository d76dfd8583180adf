import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/** The one final of a call that is not streamed. */
export function fromOpenAiResponse(_answer: unknown): LlmResponse {
  throw new TholeError('NOT_WRITTEN', 'fromOpenAiResponse is not written yet.');
}
