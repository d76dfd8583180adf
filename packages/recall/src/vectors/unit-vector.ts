/** Returns a copy of the vector with length 1. Undefined for a vector that is empty, all zero or not finite. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!;
  const length = Math.sqrt(square);
  if (!Number.isFinite(length) || length === 0) return undefined;
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = vector[i]! / length;
  return unit;
}
