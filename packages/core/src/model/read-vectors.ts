import { TholeError } from '../errors/thole-error.ts';

/**
 * Returns the vectors of a server's answer, one for each text. Throws `EMBEDDER_FAILED` for a wrong number or length of vectors, and
 * for values that are not numbers. `server` begins the message: `The embedding server`.
 */
export function readVectors(
  vectors: unknown,
  { count, dimensions, server }: { count: number; dimensions: number; server: string },
): Float32Array[] {
  const failed = (problem: string): TholeError => wrongVectors(`${server} ${problem}`);
  if (!Array.isArray(vectors)) throw failed('returned no list of vectors');
  if (vectors.length !== count) throw failed(`returned ${vectors.length} vectors for ${count} texts`);
  return vectors.map((numbers: unknown) => {
    if (!Array.isArray(numbers)) throw failed('returned a vector that is not a list of numbers');
    if (numbers.length !== dimensions)
      throw failed(`returned vectors of ${numbers.length} numbers, but dimensions is ${dimensions}`);
    if (!numbers.every((each) => Number.isFinite(each))) throw failed('returned a value that is not a number');
    return Float32Array.from(numbers as number[]);
  });
}

/** Returns the error for an answer with wrong vectors. It is not retryable: the server would return the same answer again. */
export function wrongVectors(problem: string): TholeError {
  return new TholeError('EMBEDDER_FAILED', `${problem}.`, { retryable: false });
}
