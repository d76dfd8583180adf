import { TholeError } from '@thole/core';
import type { LlmRequest } from '@thole/core';

/** What OpenAi is sent for a request of ours. */
export function toOpenAiRequest(_request: LlmRequest): unknown {
  throw new TholeError('NOT_WRITTEN', 'toOpenAiRequest is not written yet.');
}
