/** Returns the time in milliseconds since the epoch. */
export function nowMs(): number {
  return Date.now();
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
