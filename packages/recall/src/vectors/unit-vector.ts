/** A copy of length 1; undefined for zeros, for an empty one, and for what is not finite: none of them points anywhere. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!;
  const length = Math.sqrt(square);
  return Number.isFinite(length) && length > 0 ? Float32Array.from(vector, (x) => x / length) : undefined;
}
