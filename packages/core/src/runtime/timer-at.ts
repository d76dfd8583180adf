import type { CancelTimer, Runtime } from './runtime.ts';

/** Longest time between two looks at the clock, in milliseconds. */
const CHECK_MS = 600_000;

/**
 * Calls `fn` once when the clock has reached a time, in seconds since the epoch. Looks at the clock every ten minutes, because it
 * may be set, and because a timer does not count the time in which the computer sleeps.
 */
export function timerAt(runtime: Pick<Runtime, 'now' | 'timer'>, time: number, fn: () => void): CancelTimer {
  let cancel: CancelTimer;
  const wait = (): void => {
    const ms = Math.min(CHECK_MS, Math.max(0, (time - runtime.now()) * 1_000));
    cancel = runtime.timer(ms, () => (runtime.now() < time ? wait() : fn()));
  };
  wait();
  return () => cancel();
}
