import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { Event } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
import { openRun } from './run.ts';
import type { ReplacedInvocation } from './run.ts';
import { events } from './session.ts';

const replaced: ReadonlySignal<ReplacedInvocation | undefined> = computed(() => openRun.value.replaces);

/**
 * The events of the open session that are not rewound, oldest first. When an invocation is answered again, its earlier events
 * and all events after them are left out, also before the page knows the rewind.
 */
export const visibleEvents: ReadonlySignal<readonly Event[]> = computed(() => {
  const visible = applyRewinds(events.value);
  if (!replaced.value) return visible;
  const { invocationId, afterSeq } = replaced.value;
  const from = visible.findIndex((event) => event.invocationId === invocationId);
  return from < 0 ? visible : visible.filter((event, i) => i < from || (event.seq ?? 0) > afterSeq);
});

/** Ids of the invocations of the open session that were removed completely. */
export const rewoundInvocations: ReadonlySignal<ReadonlySet<string>> = computed(() => {
  const visible = visibleEvents.value;
  if (visible === events.value) return new Set();
  const remaining = new Set(visible.map(({ invocationId }) => invocationId));
  return new Set(events.value.flatMap(({ invocationId }) => (remaining.has(invocationId) ? [] : [invocationId])));
});
