import { isPlainObject, readVectors, wrongVectors } from '@thole/core/kit';

/**
 * Returns the vectors in the order of their texts. The answer may have any order. Throws `EMBEDDER_FAILED` for a wrong
 * number or length of vectors and for values that are not numbers.
 */
export function readOrderedVectors(data: readonly unknown[], count: number, dimensions: number): Float32Array[] {
  const vectors: unknown[] = Array.from({ length: data.length });
  for (const [i, entry] of data.entries()) {
    if (!isPlainObject(entry)) throw wrongVectors('The embedding server returned an answer without vectors');
    const index = typeof entry['index'] === 'number' ? entry['index'] : i;
    if (!(index in vectors) || vectors[index] !== undefined)
      throw wrongVectors('The embedding server returned vectors with wrong indexes');
    vectors[index] = entry['embedding'];
  }
  return readVectors(vectors, { count, dimensions, server: 'The embedding server' });
}
