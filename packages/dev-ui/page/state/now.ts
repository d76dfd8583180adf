import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { isRunning } from './run.ts';
import { nextTry } from './reconnect.ts';

/** Milliseconds since the epoch; updated once a second while a part of the page uses it. */
export const now: Signal<number> = signal(Date.now());

/** Returns the exact time in seconds since the epoch. Callers are drawn again when `now` is updated. */
export function presentSeconds(): number {
  void now.value;
  return Date.now() / 1_000;
}

export function keepTime(): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => void (now.value = Date.now());
  effect(() => {
    clearInterval(timer);
    tick();
    if (isRunning.value || nextTry.value !== undefined) timer = setInterval(tick, 1_000);
  });
  // Texts such as "3 min" become outdated without any event.
  setInterval(tick, 30_000);
}
