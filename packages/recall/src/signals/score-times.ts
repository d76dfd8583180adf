import type { DaySpan } from '../dates/day-span.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import type { Query } from './read-query.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

const DAY_SECONDS = 86_400;
/** Number of days in which the closeness falls to 1/e. It falls more slowly after an event, because people often talk about past events. */
const BEFORE_DAYS = 6;
const AFTER_DAYS = 12;
/** A smaller closeness counts as 0. */
const MIN_CLOSENESS = 0.01;
const MAX_GAP = -Math.log(MIN_CLOSENESS);

/** Writes to `scratch.saidThen` and `scratch.aboutThen` how well each turn matches the times in the query, from 0 to 1. */
export function scoreTimes({ turns, spans }: RecallIndex, query: Query, scratch: ScoringScratch): void {
  const { spans: days, toUtc = (day: number): number => day } = query;
  if (days.length === 0) return;
  const times = days.map(({ from, to }) => ({ from: toUtc(from), to: toUtc(to) }));
  const { saidThen, aboutThen, datedSlots } = scratch;
  const write = (column: Float64Array, slot: number, value: number): void => {
    if (value === 0) return;
    column[slot] = value;
    datedSlots.push(slot);
    scratch.addMatchedSession(turns.sessions[slot]!);
  };
  for (const slot of turns.slots()) write(saidThen, slot, closeness(turns.times[slot]! / DAY_SECONDS, times));
  for (const [slot, mentioned] of spans) write(aboutThen, slot, overlap(mentioned, days));
}

/** Returns how close a day is to the nearest span: 1 inside, falling exponentially outside. */
function closeness(day: number, days: readonly DaySpan[]): number {
  let gap = Infinity;
  for (const { from, to } of days) {
    const after = Math.max(day - to, 1 / DAY_SECONDS) / AFTER_DAYS;
    gap = Math.min(gap, day < from ? (from - day) / BEFORE_DAYS : day >= to ? after : 0);
  }
  return gap > MAX_GAP ? 0 : Math.exp(-gap);
}

/** Returns the largest share of a mentioned span that is inside a span of the query. */
function overlap(mentioned: readonly DaySpan[], days: readonly DaySpan[]): number {
  let largest = 0;
  for (const span of mentioned) {
    for (const queryDays of days) {
      const shared = Math.min(span.to, queryDays.to) - Math.max(span.from, queryDays.from);
      largest = Math.max(largest, shared / (span.to - span.from));
    }
  }
  return largest;
}
