import { effect, signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The chosen theme; `system` follows the system setting. Stored in this browser. */
export const theme = signal<Theme>(parse(readStored('theme')));

const media = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(media.matches);
media.addEventListener('change', () => (systemIsDark.value = media.matches));

/** Applies the theme whenever it changes. */
export function applyTheme(): void {
  effect(() => {
    const chosen = theme.value;
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
    writeStored('theme', chosen === 'system' ? undefined : chosen);
  });
}

/** True if the page is dark. */
export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value);
}

export function toggleTheme(): void {
  theme.value = isDark() ? 'light' : 'dark';
}

function parse(text: string | undefined): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}
