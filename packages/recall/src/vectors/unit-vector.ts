/** Returns a copy of the vector with length 1. Undefined for a vector that is empty, all zero or not finite. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!;
  const length = Math.sqrt(square);
  return Number.isFinite(length) && length > 0 ? Float32Array.from(vector, (x) => x / length) : undefined;
}
