const LEVELS = 256;

/** Items in falling order of what they are bound by, to one part in 256: enough for the best to come early, at no cost of sorting. */
export function byBound(bounds: Float64Array): Int32Array {
  let largest = 0;
  for (let i = 0; i < bounds.length; i++) if (bounds[i]! > largest) largest = bounds[i]!;
  const levelOf = (bound: number): number =>
    largest === 0 ? 0 : Math.max(0, Math.floor((1 - bound / largest) * (LEVELS - 1)));
  const starts = new Int32Array(LEVELS + 1);
  for (let i = 0; i < bounds.length; i++) starts[levelOf(bounds[i]!) + 1]!++;
  for (let level = 0; level < LEVELS; level++) starts[level + 1]! += starts[level]!;
  const order = new Int32Array(bounds.length);
  for (let i = 0; i < bounds.length; i++) order[starts[levelOf(bounds[i]!)]!++] = i;
  return order;
}
