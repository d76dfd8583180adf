import type { DaySpan } from '../dates/day-span.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

const DAY_SECONDS = 86_400;
/** Days in which the closeness falls to 1/e. People tell of things after they happened more often than before. */
const BEFORE_DAYS = 6;
const AFTER_DAYS = 12;
/** A smaller closeness counts as 0. */
const MIN_CLOSENESS = 0.01;
const MAX_GAP = -Math.log(MIN_CLOSENESS);

/** Writes into `scratch.saidThen` and `scratch.aboutThen` how well each turn fits the time asked for, from 0 to 1. */
export function scoreTimes({ turns, spans }: RecallIndex, asked: readonly DaySpan[], scratch: ScoringScratch): void {
  if (asked.length === 0) return;
  const { saidThen, aboutThen, dated } = scratch;
  const note = (column: Float64Array, slot: number, value: number): void => {
    if (value === 0) return;
    column[slot] = value;
    dated.push(slot);
    scratch.addMatchedSession(turns.sessions[slot]!);
  };
  for (const slot of turns.slots()) note(saidThen, slot, closeness(turns.times[slot]! / DAY_SECONDS, asked));
  for (const [slot, mentioned] of spans) note(aboutThen, slot, overlap(mentioned, asked));
}

/** Returns how close a day is to the nearest span: 1 inside, falling exponentially outside. */
function closeness(day: number, asked: readonly DaySpan[]): number {
  let gap = Infinity;
  for (const { from, to } of asked)
    gap = Math.min(gap, day < from ? (from - day) / BEFORE_DAYS : day >= to ? (day - to) / AFTER_DAYS : 0);
  return gap > MAX_GAP ? 0 : Math.exp(-gap);
}

/** Returns the largest part of a mentioned span that is inside a span asked for. */
function overlap(mentioned: readonly DaySpan[], asked: readonly DaySpan[]): number {
  let largest = 0;
  for (const one of mentioned) {
    for (const other of asked) {
      const shared = Math.min(one.to, other.to) - Math.max(one.from, other.from);
      largest = Math.max(largest, shared / (one.to - one.from));
    }
  }
  return largest;
}
