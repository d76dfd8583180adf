import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { after } from './clock.ts';

/** A message at the bottom of the page. */
export interface Toast {
  id: number;
  text: string;
  kind: 'plain' | 'bad';
  undo?: (() => void) | undefined;
  /** Called when the message disappears without its undo. */
  onEnd?: (() => void) | undefined;
}

const TOAST_MS = 6_000;
/** A button must be found and reached. */
const TOAST_WITH_UNDO_MS = 10_000;
export const toasts: Signal<readonly Toast[]> = signal<readonly Toast[]>([]);

let count = 0;

/** Timers of the messages by id. A message without a timer stays. */
const timers: Map<number, () => void> = new Map();

/**
 * Shows a message for some seconds, also to screen readers. With `undo`, it has a button that calls it. `onEnd` is called when
 * the message disappears without the undo.
 */
export function toast(text: string, options: Partial<Pick<Toast, 'undo' | 'onEnd' | 'kind'>> = {}): void {
  const { undo, onEnd, kind = 'plain' } = options;
  const shown: Toast = { id: ++count, text, kind, undo, onEnd };
  const all = [...toasts.value, shown];
  toasts.value = all.slice(-3);
  startTimer(shown);
  for (const dropped of all.slice(0, -3)) end(dropped);
}

/** Keeps a message until `releaseToast`, because the user points at it or its button has the focus. */
export function holdToast({ id }: Toast): void {
  timers.get(id)?.();
  timers.delete(id);
}

/** Starts the time of a message again. */
export function releaseToast(shown: Toast): void {
  if (!timers.has(shown.id) && toasts.peek().includes(shown)) startTimer(shown);
}

/** Calls the undo of a message and removes it. */
export function undoToast(shown: Toast): void {
  removeToast(shown);
  shown.undo?.();
}

function startTimer(shown: Toast): void {
  timers.set(
    shown.id,
    after(shown.undo ? TOAST_WITH_UNDO_MS : TOAST_MS, () => end(shown)),
  );
}

function end(shown: Toast): void {
  removeToast(shown);
  shown.onEnd?.();
}

function removeToast(shown: Toast): void {
  holdToast(shown);
  toasts.value = toasts.peek().filter((each) => each !== shown);
}
