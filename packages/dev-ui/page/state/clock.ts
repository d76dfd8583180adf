/** Smaller differences between the clocks are ignored: a response takes time, and its `Date` has whole seconds. */
const MAX_DIFFERENCE_MS = 10_000;

/** Milliseconds by which the clock of the server is ahead of the clock of the browser. */
let serverAheadMs = 0;

/** Returns the time of the server in milliseconds since the epoch: it has set the times that the page compares. */
export function nowMs(): number {
  return Date.now() + serverAheadMs;
}

/** Sets the time of the server from the `Date` of a response. */
export function setServerTime(date: string | null): void {
  const aheadMs = Date.parse(date ?? '') - Date.now();
  if (!Number.isNaN(aheadMs)) serverAheadMs = Math.abs(aheadMs) > MAX_DIFFERENCE_MS ? aheadMs : 0;
}

/** Returns milliseconds that never decrease, from an arbitrary start. */
export function elapsedMs(): number {
  return performance.now();
}

/** Calls `fn` once after `ms` milliseconds. Returns a function that cancels the call. */
export function after(ms: number, fn: () => void): () => void {
  const timer = setTimeout(fn, ms);
  return () => clearTimeout(timer);
}

/** Calls `fn` every `ms` milliseconds. Returns a function that stops it. */
export function every(ms: number, fn: () => void): () => void {
  const timer = setInterval(fn, ms);
  return () => clearInterval(timer);
}
