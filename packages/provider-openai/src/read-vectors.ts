import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';

/**
 * Returns vectors in the order of their texts, for any order of the answer. Throws `EMBEDDER_FAILED` for a wrong
 * number or length of vectors and for values that are not numbers.
 */
export function readVectors(data: readonly unknown[], count: number, dimensions: number): Float32Array[] {
  if (data.length !== count) throw failed(`answered ${data.length} vectors to ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [i, entry] of data.entries()) {
    if (!isPlainObject(entry)) throw failed('answered something else than vectors');
    const index = typeof entry['index'] === 'number' ? entry['index'] : i;
    if (!(index in vectors) || vectors[index]) throw failed('numbered its vectors wrongly');
    vectors[index] = toVector(entry['embedding'], dimensions);
  }
  return vectors as Float32Array[];
}

function toVector(numbers: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(numbers)) throw failed('answered a vector that is not a list of numbers');
  if (numbers.length !== dimensions) throw failed(`answered vectors of ${numbers.length} numbers, not ${dimensions}`);
  if (!numbers.every((each) => Number.isFinite(each)))
    throw failed('answered a vector with a value that is not a number');
  return Float32Array.from(numbers as number[]);
}

// Not retryable: the same texts would give the same answer.
const failed = (what: string): TholeError =>
  new TholeError('EMBEDDER_FAILED', `The embeddings' server ${what}.`, { retryable: false });
