import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { isRunning } from './run.ts';
import { nextTry } from './reconnect.ts';
import { every, nowMs } from './clock.ts';

/** Milliseconds since the epoch; updated once a second while a part of the page uses it. */
export const now: Signal<number> = signal(nowMs());

/** Returns the exact time in seconds since the epoch. Callers are drawn again when `now` is updated. */
export function presentSeconds(): number {
  void now.value;
  return nowMs() / 1_000;
}

export function keepTime(): void {
  let stop: (() => void) | undefined;
  const tick = (): void => void (now.value = nowMs());
  effect(() => {
    stop?.();
    tick();
    if (isRunning.value || nextTry.value !== undefined) stop = every(1_000, tick);
  });
  // Texts such as "3 min" become outdated without any event.
  every(30_000, tick);
}
