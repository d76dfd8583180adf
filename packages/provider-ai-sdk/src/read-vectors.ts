import { TholeError } from '@thole/core';

/**
 * Returns the vectors of a result. Throws `EMBEDDER_FAILED` for a wrong number or length of vectors and for values
 * that are not numbers.
 */
export function readVectors(embeddings: unknown, count: number, dimensions: number): Float32Array[] {
  if (!Array.isArray(embeddings)) throw failed('returned no list of vectors');
  if (embeddings.length !== count) throw failed(`returned ${embeddings.length} vectors for ${count} texts`);
  return embeddings.map((numbers: unknown) => {
    if (!Array.isArray(numbers)) throw failed('returned a vector that is not a list of numbers');
    if (numbers.length !== dimensions)
      throw failed(`returned vectors of ${numbers.length} numbers, but dimensions is ${dimensions}`);
    if (!numbers.every((each) => Number.isFinite(each))) throw failed('returned a value that is not a number');
    return Float32Array.from(numbers as number[]);
  });
}

// Not retryable: the model would return the same answer again.
const failed = (problem: string): TholeError =>
  new TholeError('EMBEDDER_FAILED', `The embedding model ${problem}.`, { retryable: false });
