import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { Event } from '@thole/core';
import { selectedEventId } from '../state/location.ts';
import { events, selectedEvent } from '../state/session.ts';
import { visibleEvents } from '../state/visible-events.ts';
import { answerOf } from './request/answer-of.ts';

/** The invocation of the selected event. Without a selection, the newest one with a message or an error that is not rewound. */
export const shownInvocation: ReadonlySignal<string | undefined> = computed(
  () =>
    (
      selectedEvent.value ??
      visibleEvents.value.findLast(({ content, errorCode }) => (content ?? errorCode) !== undefined)
    )?.invocationId,
);

/** The model's answer that belongs to the selected event. Without a selection, the newest answer that is not rewound. */
export const shownAnswer: ReadonlySignal<Event | undefined> = computed(() => {
  const id = selectedEventId.value;
  return answerOf(id === undefined ? visibleEvents.value : events.value, id);
});
