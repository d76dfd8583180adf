import type { ClientRuntime } from '../client-options.ts';

/** Maximum delay of `setTimeout` in milliseconds. With a longer delay it fires immediately. */
const LONGEST_MS = 2 ** 31 - 1;

// A copy of core's `longTimer`, because this package imports only types from core. A test compares the two runtimes.
function longTimer(ms: number, fn: () => void, onHandle?: (handle: unknown) => void): () => void {
  if (ms === Infinity) return () => {};
  let handle: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number): void => {
    const isLast = !(leftMs > LONGEST_MS);
    handle = setTimeout(() => (isLast ? fn() : wait(leftMs - LONGEST_MS)), isLast ? leftMs : LONGEST_MS);
    onHandle?.(handle);
  };
  wait(ms);
  return () => clearTimeout(handle);
}

/** Returns the platform's clock, timers and randomness. */
export function systemRuntime(): ClientRuntime {
  return {
    now: () => Date.now() / 1000,
    random: () => Math.random(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          cancel();
          signal?.removeEventListener('abort', end);
          if (signal?.aborted) reject(signal.reason as Error);
          else resolve();
        };
        const cancel = longTimer(ms, end);
        if (signal?.aborted) end();
        else signal?.addEventListener('abort', end);
      }),
    // The timer does not keep the process running. The work that it limits does.
    timer: (ms, fn) => longTimer(ms, fn, (handle) => (handle as { unref?(): void }).unref?.()),
  };
}
