import { TholeError } from '@thole/core';
import { assertCount, invalidInput } from '@thole/core/kit';
import type { Embedder } from '@thole/core';

/** Throws `INVALID_INPUT` unless the value is an `Embedder` with valid `model`, `dimensions` and `maxBatch`. */
export function assertEmbedder(value: unknown): asserts value is Embedder {
  const embedder = value as Partial<Embedder> | undefined | null;
  if (typeof embedder?.embed !== 'function') throw invalidInput('embedder', 'an Embedder', value);
  const { model, dimensions, maxBatch } = embedder;
  if (typeof model !== 'string') throw invalidInput('embedder.model', 'a string', model);
  if (model === '') throw new TholeError('INVALID_INPUT', 'embedder.model must not be empty.');
  assertCount('embedder.dimensions', dimensions, 1);
  if (!(typeof maxBatch === 'number' && maxBatch >= 1))
    throw invalidInput('embedder.maxBatch', 'a number ≥ 1', maxBatch);
}
