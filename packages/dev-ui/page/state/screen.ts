import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

/** True if the inspector is a drawer, because there is no space next to the conversation. */
export const isNarrow: Signal<boolean> = mediaSignal('(max-width: 68.6875em)');

/** True if the list of sessions is a drawer, too. */
export const isPhone: Signal<boolean> = mediaSignal('(max-width: 47.4375em)');

/** True on a touch screen, which probably has no keyboard. */
export const isTouch: Signal<boolean> = mediaSignal('(pointer: coarse)');

/** True while the drawer of sessions is open. */
export const sessionsOpen: Signal<boolean> = signal(false);
/** True while the drawer of the inspector is open. */
export const inspectorOpen: Signal<boolean> = signal(false);

/** True if the inspector is shown next to the conversation on wide screens. */
export const inspectorShown: Signal<boolean> = storedSignal('inspector', true);

/** True if the timeline is shown. */
export const timelineShown: Signal<boolean> = storedSignal('timeline', !isPhone.value);

function mediaSignal(query: string): Signal<boolean> {
  const media = matchMedia(query);
  const matches = signal(media.matches);
  media.addEventListener('change', () => {
    matches.value = media.matches;
  });
  return matches;
}

function storedSignal(name: string, defaultValue: boolean): Signal<boolean> {
  const stored = readStored(name);
  const shown = signal(stored === undefined ? defaultValue : stored === 'true');
  shown.subscribe((value) => {
    if (value !== defaultValue || readStored(name) !== undefined) writeStored(name, String(value));
  });
  return shown;
}
