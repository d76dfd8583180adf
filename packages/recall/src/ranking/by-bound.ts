const LEVELS = 256;

/**
 * Places, of the first so many, of those that are bound by at least so much, in falling order of it to one part in 256: enough
 * for the best to come early, at no cost of sorting.
 */
export function byBound(bounds: Float64Array, length: number, least: number): Int32Array {
  const some: number[] = [];
  let largest = least;
  for (let i = 0; i < length; i++) {
    const bound = bounds[i]!;
    if (bound < least) continue;
    some.push(i);
    if (bound > largest) largest = bound;
  }
  const scale = largest > least ? (LEVELS - 1) / (largest - least) : 0;
  const starts = new Int32Array(LEVELS + 1);
  const levelOf = (i: number): number => ((largest - bounds[i]!) * scale) | 0;
  for (const i of some) starts[levelOf(i) + 1]!++;
  for (let level = 0; level < LEVELS; level++) starts[level + 1]! += starts[level]!;
  const order = new Int32Array(some.length);
  for (const i of some) order[starts[levelOf(i)]!++] = i;
  return order;
}
