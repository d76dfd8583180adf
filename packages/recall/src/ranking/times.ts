import type { DaySpan } from '../time/day-span.ts';

const DAY_SECONDS = 86_400;
/** People tell of things after they happened more often than before: days until the nearness has fallen to a third. */
const BEFORE_DAYS = 6;
const AFTER_DAYS = 12;
/** Less is no nearness. */
const FAR = 0.01;

/** How near to the nearest of these spans something was said, from 0 to 1. */
export function nearnessInTime(seconds: number, spans: readonly DaySpan[]): number {
  const day = seconds / DAY_SECONDS;
  let best = 0;
  for (const { from, to } of spans) {
    const gap = day < from ? (from - day) / BEFORE_DAYS : day >= to ? (day - to) / AFTER_DAYS : 0;
    best = Math.max(best, Math.exp(-gap));
  }
  return best < FAR ? 0 : best;
}

/** The largest part of a span spoken of that lies within one that is asked for, from 0 to 1. */
export function overlapInTime(spoken: readonly DaySpan[], asked: readonly DaySpan[]): number {
  let best = 0;
  for (const one of spoken) {
    for (const other of asked) {
      const shared = Math.min(one.to, other.to) - Math.max(one.from, other.from);
      best = Math.max(best, shared / (one.to - one.from));
    }
  }
  return best;
}
