import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** True while the list of keys is shown. */
export const keysOpen: Signal<boolean> = signal(false);
