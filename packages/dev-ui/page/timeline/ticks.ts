/** Where to write times on an axis of this length: at round numbers, at most so many, from 0 on. */
export function ticks(lengthMs: number, most: number): number[] {
  if (!(lengthMs > 0) || most < 1) return [0];
  const rough = lengthMs / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => lengthMs / each <= most) ?? 10 * power;
  return Array.from({ length: Math.floor(lengthMs / step + 1e-9) + 1 }, (_, i) => i * step);
}
