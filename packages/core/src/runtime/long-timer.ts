import { afterInput } from './node-globals.ts';
import type { CancelTimer } from './runtime.ts';

/** Maximum delay of `setTimeout`; a longer one fires at once. */
const MAX_MS = 2 ** 31 - 1;

/** Delay of a timer, in milliseconds, that shows that the process was stopped. A busy process delays timers by less. */
const LATE_MS = 500;

/**
 * Calls `fn` after `ms` milliseconds, as `setTimeout` does, for delays of any length. A long delay is split; `Infinity` never
 * ends. `onHandle` receives each handle of `setTimeout`. After a stop of the process, `setTimeout` fires
 * before input is read. Then `fn` is called one turn of the event loop later: an answer that has arrived can still cancel a limit.
 */
export function longTimer(ms: number, fn: () => void, onHandle?: (handle: unknown) => void): CancelTimer {
  if (ms === Infinity) return noop;
  const due = performance.now() + ms;
  let handle: ReturnType<typeof setTimeout>;
  let isCancelled = false;
  const end = (): void => {
    if (!isCancelled) fn();
  };
  const wait = (leftMs: number): void => {
    const isLast = !(leftMs > MAX_MS);
    const next = (): void => {
      if (!isLast) wait(leftMs - MAX_MS);
      else if (performance.now() - due > LATE_MS) afterInput(end);
      else fn();
    };
    handle = setTimeout(next, isLast ? leftMs : MAX_MS);
    onHandle?.(handle);
  };
  wait(ms);
  return () => {
    isCancelled = true;
    clearTimeout(handle);
  };
}

function noop(): void {}
