import type { CancelTimer } from './runtime.ts';

/** Maximum delay of `setTimeout`; a longer one fires at once. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Calls `fn` after `ms` milliseconds, as `setTimeout` does, for delays of any length. A long delay is split; `Infinity` never
 * ends. `onHandle` receives each handle of `setTimeout`.
 */
export function longTimer(ms: number, fn: () => void, onHandle?: (handle: unknown) => void): CancelTimer {
  if (ms === Infinity) return noop;
  let handle: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number): void => {
    const isLast = !(leftMs > MAX_MS);
    handle = setTimeout(() => (isLast ? fn() : wait(leftMs - MAX_MS)), isLast ? leftMs : MAX_MS);
    onHandle?.(handle);
  };
  wait(ms);
  return () => clearTimeout(handle);
}

function noop(): void {}
