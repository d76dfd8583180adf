import type { CancelTimer } from './runtime.ts';

/** Maximum delay of `setTimeout`; a longer one fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * `setTimeout` for delays of any length: a long delay is split, `Infinity` never ends. `onHandle` receives each
 * handle.
 */
export function longTimer(ms: number, fn: () => void, onHandle?: (handle: unknown) => void): CancelTimer {
  if (ms === Infinity) return noop;
  let handle: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number): void => {
    const isLast = !(leftMs > LONGEST_MS);
    handle = setTimeout(() => (isLast ? fn() : wait(leftMs - LONGEST_MS)), isLast ? leftMs : LONGEST_MS);
    onHandle?.(handle);
  };
  wait(ms);
  return () => clearTimeout(handle);
}

function noop(): void {}
