import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { findPendingCalls } from './find-pending-calls.ts';
import type { PendingCall } from './find-pending-calls.ts';
import { events } from './session.ts';

/** Calls of the open session that wait for a person, oldest first. */
export const pendingCalls: ReadonlySignal<readonly PendingCall[]> = computed(() => findPendingCalls(events.value));
