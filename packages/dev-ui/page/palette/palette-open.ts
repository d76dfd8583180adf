import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** Whether the palette is shown. */
export const paletteOpen: Signal<boolean> = signal(false);

/** What is looked for in it. */
export const paletteQuery: Signal<string> = signal('');

/** Shows the palette, empty; hides it where it is shown. */
export function togglePalette(): void {
  paletteQuery.value = '';
  paletteOpen.value = !paletteOpen.value;
}
