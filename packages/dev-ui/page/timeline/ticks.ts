/**
 * Returns the positions of about `maxCount` ticks on an axis of this length that starts at `fromMs`. Positions are round
 * numbers.
 */
export function ticks(lengthMs: number, maxCount: number, fromMs: number = 0): number[] {
  if (!(lengthMs > 0) || maxCount < 1) return [fromMs];
  const step = stepFor(lengthMs / maxCount);
  const first = Math.ceil(fromMs / step - 1e-9);
  const last = Math.floor((fromMs + lengthMs) / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step);
}

/** Returns the label of a tick, with enough digits for this distance between ticks. */
export function formatTick(ms: number, stepMs: number): string {
  if (ms < 1_000) return `${withDigits(ms, stepMs)} ms`;
  if (ms < 60_000) return `${withDigits(ms / 1_000, stepMs / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = withDigits((ms - minutes * 60_000) / 1_000, stepMs / 1_000);
  return `${minutes} min ${seconds} s`;
}

const withDigits = (value: number, step: number): string =>
  String(Number(value.toFixed(Math.min(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)), 6))));

function stepFor(roughMs: number): number {
  const power = 10 ** Math.floor(Math.log10(roughMs));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= roughMs * (1 - 1e-9)) ?? 10 * power;
}
