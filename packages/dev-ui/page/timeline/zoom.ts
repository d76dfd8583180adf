/** A part of a turn's time. */
export interface TimeWindow {
  startMs: number;
  endMs: number;
}

/** Minimum visible time. */
const MIN_MS = 1;

/** Returns the window scaled around a time by `factor` (below 1: smaller), inside `whole`. */
export function zoomWindow(window: TimeWindow, whole: TimeWindow, p: { factor: number; atMs: number }): TimeWindow {
  const length = Math.max((window.endMs - window.startMs) * p.factor, MIN_MS);
  if (length >= whole.endMs - whole.startMs) return whole;
  const share = (p.atMs - window.startMs) / Math.max(window.endMs - window.startMs, MIN_MS);
  return keepInside({ startMs: p.atMs - share * length, endMs: p.atMs + (1 - share) * length }, whole);
}

/** Returns the window moved by a time, inside `whole`. */
export function moveWindow(window: TimeWindow, whole: TimeWindow, byMs: number): TimeWindow {
  return keepInside({ startMs: window.startMs + byMs, endMs: window.endMs + byMs }, whole);
}

/** Returns the window moved so that a period of time is visible. */
export function revealInWindow(window: TimeWindow, whole: TimeWindow, bar: TimeWindow): TimeWindow {
  if (bar.endMs > window.startMs && bar.startMs < window.endMs) return window;
  const middle = (bar.startMs + bar.endMs) / 2;
  return moveWindow(window, whole, middle - (window.startMs + window.endMs) / 2);
}

/** Returns a window of twice the length of a period of time around this period, inside `whole`. */
export function windowAround(bar: TimeWindow, whole: TimeWindow): TimeWindow {
  const length = Math.min(Math.max(2 * (bar.endMs - bar.startMs), MIN_MS), whole.endMs - whole.startMs);
  const startMs = (bar.startMs + bar.endMs - length) / 2;
  return keepInside({ startMs, endMs: startMs + length }, whole);
}

function keepInside({ startMs, endMs }: TimeWindow, whole: TimeWindow): TimeWindow {
  const by = startMs < whole.startMs ? whole.startMs - startMs : endMs > whole.endMs ? whole.endMs - endMs : 0;
  return { startMs: startMs + by, endMs: endMs + by };
}
