import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { InterruptLog, RecordedInterrupt } from '@thole/core/kit';
import { findRequests } from './find-requests.ts';
import { events } from './session.ts';

const log: ReadonlySignal<InterruptLog> = computed(() => findRequests(events.value));

/** The open requests of the open session, oldest first, including timers and requests that have just expired. */
export const openRequests: ReadonlySignal<readonly RecordedInterrupt[]> = computed(() => [...log.value.open]);
