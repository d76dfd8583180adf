import { computed, effect, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { isRunning } from './run.ts';
import { openRequests } from './requests.ts';
import { nextTry } from './reconnect.ts';
import { every, nowMs } from './clock.ts';

/** Milliseconds since the epoch. Updated every second while the page shows a running time, otherwise every 30 seconds. */
export const now: Signal<number> = signal(nowMs());

/** Returns the exact time in seconds since the epoch. Callers are drawn again when `now` is updated. */
export function currentSeconds(): number {
  void now.value;
  return nowMs() / 1_000;
}

/** True while an open request has a time in the future. */
const hasDeadline: ReadonlySignal<boolean> = computed(() =>
  openRequests.value.some(({ interrupt }) => (interrupt.expiresAt ?? 0) * 1_000 > now.value),
);

export function startClock(): void {
  let stop: (() => void) | undefined;
  const tick = (): void => void (now.value = nowMs());
  effect(() => {
    stop?.();
    tick();
    if (isRunning.value || nextTry.value !== undefined || hasDeadline.value) stop = every(1_000, tick);
  });
  // Texts such as "3 min" become outdated without any event.
  every(30_000, tick);
}
