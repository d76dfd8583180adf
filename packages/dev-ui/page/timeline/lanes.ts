import type { TimeKind } from '../inspector/trace/span-facts.ts';

/** A period of time in a lane. Times are milliseconds since the epoch. */
export interface Bar {
  id: string;
  lane: string;
  kind: TimeKind;
  label: string;
  startMs: number;
  endMs: number;
  eventId: string | undefined;
  error?: string | undefined;
  /** True if the bar ended because the run was stopped, which is not an error. */
  isStopped?: boolean | undefined;
}

/** Errors of runs that were stopped from outside. */
const STOPS = new Set(['RUN_ABORTED', 'RUN_LEFT', 'RUN_INTERRUPTED', 'AbortError']);

/** True if an error means that a run was stopped. */
export function isStop(error: string | undefined): boolean {
  return error !== undefined && STOPS.has(error);
}

/** A drawn bar: one bar, or several neighbours that are too short to be drawn separately. */
export interface PlacedBar extends Bar {
  row: number;
  /** The bars that are drawn as this one, in the order of their starts. */
  parts: Bar[];
}

/** The time of one agent. Overlapping bars are in separate rows. */
export interface Lane {
  name: string;
  bars: PlacedBar[];
  rows: number;
}

/** Maximum number of bars that are all drawn separately. A browser needs seconds to draw some thousands. */
const MAX_SEPARATE = 500;

/**
 * Returns the bars by lane, in the order in which the lanes begin, each bar in the first free row. A bar occupies at
 * least `minMs` of a row, so that short bars, which are drawn wider, do not cover their neighbours. If there are more than
 * 500 bars, shorter bars that start within `minMs` are drawn as one.
 */
export function toLanes(bars: readonly Bar[], minMs: number = 0): Lane[] {
  const lanes = new Map<string, { lane: Lane; ends: number[]; short?: PlacedBar }>();
  for (const bar of bars.toSorted((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)) {
    let found = lanes.get(bar.lane);
    if (!found) lanes.set(bar.lane, (found = { lane: { name: bar.lane, bars: [], rows: 0 }, ends: [] }));
    const { lane, ends, short } = found;
    const isShort = bars.length > MAX_SEPARATE && bar.endMs - bar.startMs < minMs;
    if (isShort && short && bar.startMs < short.startMs + minMs) {
      short.parts.push(bar);
      ends[short.row] = Math.max(ends[short.row]!, bar.endMs);
      continue;
    }
    const free = ends.findIndex((end) => end <= bar.startMs);
    const row = free < 0 ? ends.length : free;
    ends[row] = Math.max(bar.endMs, bar.startMs + minMs);
    const placed = { ...bar, row, parts: [bar] };
    if (isShort) found.short = placed;
    lane.bars.push(placed);
    lane.rows = ends.length;
  }
  return [...lanes.values()].map(({ lane }) => ({ ...lane, bars: lane.bars.map(joinParts) }));
}

/** Returns a bar for several parts: it has the kind of the longest part and the error of a failed part. */
function joinParts(placed: PlacedBar): PlacedBar {
  const { parts } = placed;
  if (parts.length === 1) return placed;
  const { kind } = parts.reduce((a, b) => (b.endMs - b.startMs > a.endMs - a.startMs ? b : a));
  const failed = parts.filter((part) => part.error !== undefined);
  const { error, isStopped } = failed.find((part) => !part.isStopped) ?? failed[0] ?? {};
  const { endMs } = extentOf(parts);
  return { ...placed, label: `${parts.length} steps`, kind, endMs, error, isStopped };
}

/** True if a bar with this id is drawn as `placed`. */
export function includesBar({ parts }: PlacedBar, id: string | undefined): boolean {
  return parts.some((part) => part.id === id);
}

/** Returns the time range of the bars. */
export function extentOf(bars: readonly Bar[]): { startMs: number; endMs: number } {
  let startMs = Infinity;
  let endMs = -Infinity;
  for (const bar of bars) {
    startMs = Math.min(startMs, bar.startMs);
    endMs = Math.max(endMs, bar.endMs);
  }
  return bars.length === 0 ? { startMs: 0, endMs: 0 } : { startMs, endMs };
}

/** Returns the duration of each kind of work; overlapping bars of a kind count once. */
export function totals(bars: readonly Bar[]): { kind: TimeKind; ms: number }[] {
  const kinds: TimeKind[] = ['model', 'tool', 'store', 'wait', 'agent'];
  return kinds.flatMap((kind) => {
    const ms = coveredMs(bars.filter((bar) => bar.kind === kind));
    return ms > 0 ? [{ kind, ms }] : [];
  });
}

function coveredMs(bars: readonly Bar[]): number {
  let sum = 0;
  let until = -Infinity;
  for (const { startMs, endMs } of bars.toSorted((a, b) => a.startMs - b.startMs)) {
    sum += Math.max(0, endMs - Math.max(startMs, until));
    until = Math.max(until, endMs);
  }
  return sum;
}
