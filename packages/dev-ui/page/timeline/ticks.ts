import { formatDuration } from '../parts/format.ts';

/** Returns where to write times on an axis of this length: at round numbers, about `most` of them, from `fromMs` on. */
export function ticks(lengthMs: number, most: number, fromMs: number = 0): number[] {
  if (!(lengthMs > 0) || most < 1) return [fromMs];
  const step = stepFor(lengthMs / most);
  const first = Math.ceil(fromMs / step - 1e-9);
  const last = Math.floor((fromMs + lengthMs) / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step);
}

/** A time on the axis: with so many digits that two ticks differ. */
export function formatTick(ms: number, lengthMs: number): string {
  if (ms === 0) return '0 ms';
  if (ms >= 1_000 && ms < 60_000) return `${Number((ms / 1_000).toFixed(lengthMs < 200 ? 3 : lengthMs < 2_000 ? 2 : 1))} s`;
  return ms < 1_000 ? `${Number(ms.toFixed(lengthMs < 10 ? 2 : 0))} ms` : formatDuration(ms);
}

function stepFor(roughMs: number): number {
  const power = 10 ** Math.floor(Math.log10(roughMs));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= roughMs * (1 - 1e-9)) ?? 10 * power;
}
