import type { ClientRuntime } from '../client-options.ts';

// What setTimeout can count; more would fire at once.
const LONGEST_MS = 2 ** 31 - 1;

// Waits of any length: a long one is waited for in pieces, `Infinity` never ends.
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

/** The platform's clock, timers and randomness. Core's would do, but nothing of core but types is in this package. */
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
    // It holds no process: what it limits does.
    timer: (ms, fn) => longTimer(ms, fn, (handle) => (handle as { unref?(): void }).unref?.()),
  };
}
