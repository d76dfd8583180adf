import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { events } from '../state/session.ts';
import { streaming } from '../state/run.ts';
import { toEntries, toStreamingEntry } from './entries.ts';
import type { Entry } from './entries.ts';

const stored: ReadonlySignal<readonly Entry[]> = computed(() => toEntries(events.value));

/** The rows of the open session; those that are being written stand last. */
export const entries: ReadonlySignal<readonly (Entry & { writing?: boolean })[]> = computed(() => {
  const growing = streaming.value;
  if (growing.length === 0) return stored.value;
  const known = new Set(events.value.slice(-20).map((event) => event.id));
  const writing = growing
    .filter((event) => !known.has(event.id))
    .map((event) => ({ ...toStreamingEntry(event, stored.value.at(-1)), writing: true }));
  return [...stored.value, ...writing.filter((entry) => entry.blocks.length > 0)];
});
