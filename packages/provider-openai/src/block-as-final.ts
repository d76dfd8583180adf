import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/**
 * The responses, with a final in the place of `MODEL_BLOCKED` where nothing else was answered: some servers refuse a prompt that
 * their filter blocked with a status. No generator, which would cost as much again for each chunk of a stream.
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
