import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { after } from './clock.ts';

/** A message at the bottom of the page. */
export interface Toast {
  id: number;
  text: string;
  kind: 'plain' | 'bad';
  undo?: (() => void) | undefined;
}

export const TOAST_MS = 6_000;
export const toasts: Signal<readonly Toast[]> = signal<readonly Toast[]>([]);

let count = 0;

/** Shows a message for six seconds, also to screen readers. With `undo`, it has a button that calls it. */
export function toast(
  text: string,
  options: { undo?: (() => void) | undefined; kind?: Toast['kind'] | undefined } = {},
): void {
  const id = ++count;
  toasts.value = [...toasts.value, { id, text, kind: options.kind ?? 'plain', undo: options.undo }].slice(-3);
  after(TOAST_MS, () => removeToast(id));
}

export function removeToast(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
