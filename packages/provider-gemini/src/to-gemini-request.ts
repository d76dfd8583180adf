import { TholeError } from '@thole/core';
import type { LlmRequest } from '@thole/core';

/** What Gemini is sent for a request of ours. */
export function toGeminiRequest(_request: LlmRequest): unknown {
  throw new TholeError('NOT_WRITTEN', 'toGeminiRequest is not written yet.');
}
