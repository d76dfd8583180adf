import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { events, selectedEvent } from '../state/session.ts';

/** The invocation of the selected event. Without a selection, the newest invocation with a message or an error. */
export const shownInvocation: ReadonlySignal<string | undefined> = computed(
  () =>
    (selectedEvent.value ?? events.value.findLast(({ content, errorCode }) => (content ?? errorCode) !== undefined))
      ?.invocationId,
);
