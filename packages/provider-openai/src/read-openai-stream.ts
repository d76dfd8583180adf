import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/** Partials with only what is new, then exactly one final with the whole. */
export async function* readOpenAiStream(_answer: unknown): AsyncGenerator<LlmResponse> {
  yield notWritten();
}

function notWritten(): never {
  throw new TholeError('NOT_WRITTEN', 'readOpenAiStream is not written yet.');
}
