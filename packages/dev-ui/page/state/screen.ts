import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

/** Too narrow for the inspector beside the conversation: it slides in. */
export const isNarrow: Signal<boolean> = follow('(max-width: 1099px)');

/** Too narrow for the sessions too. */
export const isPhone: Signal<boolean> = follow('(max-width: 759px)');

/** The main pointer is a finger: there is most likely no keyboard. */
export const isTouch: Signal<boolean> = follow('(pointer: coarse)');

/** Whether what slides in is in. */
export const sessionsOpen: Signal<boolean> = signal(false);
export const inspectorOpen: Signal<boolean> = signal(false);

/** Whether the inspector stands beside the conversation, where there is room. */
export const inspectorShown: Signal<boolean> = kept('inspector', true);

/** Whether the time line stands below. */
export const timelineShown: Signal<boolean> = kept('timeline', !isPhone.value);

function follow(query: string): Signal<boolean> {
  const media = matchMedia(query);
  const matches = signal(media.matches);
  media.addEventListener('change', () => {
    matches.value = media.matches;
  });
  return matches;
}

function kept(name: string, otherwise: boolean): Signal<boolean> {
  const stored = readStored(name);
  const shown = signal(stored === undefined ? otherwise : stored === 'true');
  shown.subscribe((value) => {
    if (value !== otherwise || readStored(name) !== undefined) writeStored(name, String(value));
  });
  return shown;
}
