import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/**
 * Returns the responses, with a final response instead of `MODEL_BLOCKED` if nothing else was answered: some servers
 * reject a prompt that their filter blocked with an error status. It is not a generator, because that would double
 * the cost of each chunk.
 */
export function blockAsFinal(responses: AsyncIterableIterator<LlmResponse>): AsyncIterableIterator<LlmResponse> {
  let isBegun = false;
  return {
    next() {
      if (isBegun) return responses.next();
      isBegun = true;
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
