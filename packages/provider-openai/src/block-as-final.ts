import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/**
 * Returns the responses. If the first one fails with `MODEL_BLOCKED`, a final response replaces the error: some servers
 * reject a blocked prompt with an error status. This is not a generator, because that would double the cost of each
 * chunk.
 */
export function blockAsFinal(responses: AsyncIterableIterator<LlmResponse>): AsyncIterableIterator<LlmResponse> {
  let hasStarted = false;
  return {
    next() {
      if (hasStarted) return responses.next();
      hasStarted = true;
      return responses.next().catch(toFinal);
    },
    return: async () => (await responses.return?.()) ?? { value: undefined, done: true },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function toFinal(error: unknown): IteratorResult<LlmResponse> {
  if (!TholeError.is(error, 'MODEL_BLOCKED')) throw error;
  return { value: { finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage: error.message } };
}
