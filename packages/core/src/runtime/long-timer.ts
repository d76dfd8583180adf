import type { CancelTimer } from './runtime.ts';

/** What `setTimeout` can count; it fires at once for more. */
const LONGEST_MS = 2 ** 31 - 1;

/** `setTimeout` for waits of any length: a long one is waited for in pieces, `Infinity` never ends. `onHandle` gets each handle. */
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
