import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { isRunning } from './run.ts';
import { nextTry } from './reconnect.ts';

/** Milliseconds since the epoch; goes on once a second while something on the page counts with it. */
export const now: Signal<number> = signal(Date.now());

/** Seconds since the epoch, to the moment: whoever draws with them is drawn again when `now` goes on. */
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
  // Words such as "3 min" grow old without any of that.
  setInterval(tick, 30_000);
}
