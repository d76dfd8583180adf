import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

/** True if the inspector has no room next to the conversation: it slides in. */
export const isNarrow: Signal<boolean> = follow('(max-width: 1099px)');

/** True if the sessions have no room either. */
export const isPhone: Signal<boolean> = follow('(max-width: 759px)');

/** True if the main pointer is a finger: there is probably no keyboard. */
export const isTouch: Signal<boolean> = follow('(pointer: coarse)');

/** True while the sessions are slid in. */
export const sessionsOpen: Signal<boolean> = signal(false);
export const inspectorOpen: Signal<boolean> = signal(false);

/** True if the inspector is shown next to the conversation, where there is room. */
export const inspectorShown: Signal<boolean> = kept('inspector', true);

/** True if the timeline is shown. */
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
