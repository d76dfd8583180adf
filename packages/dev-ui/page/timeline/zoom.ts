/** A part of a turn's time. */
export interface TimeWindow {
  startMs: number;
  endMs: number;
}

/** Minimum visible time. */
const LEAST_MS = 1;

/** Returns the window scaled around a time by `factor` (below 1: smaller), within the whole. */
export function zoomed(window: TimeWindow, whole: TimeWindow, p: { factor: number; atMs: number }): TimeWindow {
  const length = Math.max((window.endMs - window.startMs) * p.factor, LEAST_MS);
  if (length >= whole.endMs - whole.startMs) return whole;
  const share = (p.atMs - window.startMs) / Math.max(window.endMs - window.startMs, LEAST_MS);
  return within({ startMs: p.atMs - share * length, endMs: p.atMs + (1 - share) * length }, whole);
}

/** Returns the window moved by a time, within the whole. */
export function moved(window: TimeWindow, whole: TimeWindow, byMs: number): TimeWindow {
  return within({ startMs: window.startMs + byMs, endMs: window.endMs + byMs }, whole);
}

/** Returns the window moved so that a period of time is visible. */
export function revealing(window: TimeWindow, whole: TimeWindow, bar: TimeWindow): TimeWindow {
  if (bar.endMs > window.startMs && bar.startMs < window.endMs) return window;
  const middle = (bar.startMs + bar.endMs) / 2;
  return moved(window, whole, middle - (window.startMs + window.endMs) / 2);
}

function within({ startMs, endMs }: TimeWindow, whole: TimeWindow): TimeWindow {
  const by = startMs < whole.startMs ? whole.startMs - startMs : endMs > whole.endMs ? whole.endMs - endMs : 0;
  return { startMs: startMs + by, endMs: endMs + by };
}
