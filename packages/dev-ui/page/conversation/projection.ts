import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { events } from '../state/session.ts';
import { sent, streaming } from '../state/run.ts';
import { isSameData } from '../state/is-same-data.ts';
import { unfinished } from '../state/unfinished.ts';
import { rewoundInvocations, visibleEvents } from '../state/visible-events.ts';
import { toEntries } from './entries.ts';
import type { Entry } from './entries.ts';
import { placeRun } from './place-run.ts';

let before: readonly Entry[] = [];

/** Rows that have not changed stay the same objects, so that they are not drawn again. */
const stored: ReadonlySignal<readonly Entry[]> = computed(() => {
  const known = new Map(before.map((entry) => [entry.key, entry]));
  before = toEntries(visibleEvents.value).map((entry) => {
    const last = known.get(entry.key);
    return last && isSameData(last, entry) ? last : entry;
  });
  return before;
});

/** The rows of the open session: stored rows, the message being sent above its answers, and answers being written. */
export const entries: ReadonlySignal<readonly Entry[]> = computed(() =>
  placeRun(stored.value, {
    events: events.value,
    sent: sent.value,
    streaming: streaming.value,
    unfinished: unfinished.value.filter(({ invocationId }) => !rewoundInvocations.value.has(invocationId)),
  }),
);
