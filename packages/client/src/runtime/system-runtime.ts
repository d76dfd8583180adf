import type { ClientRuntime } from '../client-options.ts';

// What setTimeout can count; more would fire at once.
const LONGEST_MS = 2 ** 31 - 1;

/** The platform's clock, timers and randomness. Core's would do, but nothing of core but types is in this package. */
export function systemRuntime(): ClientRuntime {
  return {
    now: () => Date.now() / 1000,
    random: () => Math.random(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(handle);
          signal?.removeEventListener('abort', end);
          if (signal?.aborted) reject(signal.reason as Error);
          else resolve();
        };
        const handle = setTimeout(end, Math.min(ms, LONGEST_MS));
        if (signal?.aborted) end();
        else signal?.addEventListener('abort', end);
      }),
    timer(ms, fn) {
      // It holds no process: what it limits does.
      const handle: unknown = setTimeout(fn, Math.min(ms, LONGEST_MS));
      (handle as { unref?(): void }).unref?.();
      return () => clearTimeout(handle as number);
    },
  };
}
