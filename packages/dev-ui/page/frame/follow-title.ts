import { effect } from '@preact/signals';
import { appName, sessionId } from '../state/location.ts';
import { sessions } from '../state/sessions.ts';
import { displayNameOf } from '../state/title-of.ts';

/** Sets the title of the browser tab to the open session. */
export function followTitle(): void {
  effect(() => {
    const open = sessions.value?.find((each) => each.id === sessionId.value);
    const words = [open && displayNameOf(open), appName.value, 'Thole'];
    document.title = words.filter((each) => each !== undefined).join(' · ');
  });
}
