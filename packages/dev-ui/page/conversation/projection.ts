import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { events } from '../state/session.ts';
import { sent, streaming } from '../state/run.ts';
import { unfinished } from '../state/unfinished.ts';
import { rewoundInvocations, visibleEvents } from '../state/visible-events.ts';
import { toEntries } from './entries.ts';
import type { Entry } from './entries.ts';
import { placeRun } from './place-run.ts';

const stored: ReadonlySignal<readonly Entry[]> = computed(() => toEntries(visibleEvents.value));

/** The rows of the open session: stored rows, the message being sent above its answers, and answers being written. */
export const entries: ReadonlySignal<readonly Entry[]> = computed(() =>
  placeRun(stored.value, {
    events: events.value,
    sent: sent.value,
    streaming: streaming.value,
    unfinished: unfinished.value.filter(({ invocationId }) => !rewoundInvocations.value.has(invocationId)),
  }),
);
