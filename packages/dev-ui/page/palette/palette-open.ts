import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** True while the palette is shown. */
export const paletteOpen: Signal<boolean> = signal(false);

/** The query of the palette. */
export const paletteQuery: Signal<string> = signal('');

/** Shows the palette with an empty query, or hides it. */
export function togglePalette(): void {
  paletteQuery.value = '';
  paletteOpen.value = !paletteOpen.value;
}
