import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';

/**
 * Returns the vectors in the order of their texts. The answer may have any order. Throws `EMBEDDER_FAILED` for a wrong
 * number or length of vectors and for values that are not numbers.
 */
export function readVectors(data: readonly unknown[], count: number, dimensions: number): Float32Array[] {
  if (data.length !== count) throw failed(`returned ${data.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [i, entry] of data.entries()) {
    if (!isPlainObject(entry)) throw failed('returned an answer without vectors');
    const index = typeof entry['index'] === 'number' ? entry['index'] : i;
    if (!(index in vectors) || vectors[index]) throw failed('returned vectors with wrong indexes');
    vectors[index] = toVector(entry['embedding'], dimensions);
  }
  return vectors as Float32Array[];
}

function toVector(numbers: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(numbers)) throw failed('returned a vector that is not a list of numbers');
  if (numbers.length !== dimensions)
    throw failed(`returned vectors of ${numbers.length} numbers, but dimensions is ${dimensions}`);
  if (!numbers.every((each) => Number.isFinite(each)))
    throw failed('returned a vector with a value that is not a number');
  return Float32Array.from(numbers as number[]);
}

// Not retryable: the server would return the same answer again.
const failed = (problem: string): TholeError =>
  new TholeError('EMBEDDER_FAILED', `The embedding server ${problem}.`, { retryable: false });
