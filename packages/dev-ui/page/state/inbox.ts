import { ClientError } from '@thole/client';
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { client } from './client.ts';
import { appName, sessionId, userId } from './location.ts';
import { openRequests } from './requests.ts';
import { status } from './session.ts';

/** Maximum number of sessions in a response. */
const PAGE = 200;

/** Number of open requests by session id, as the server listed them. */
const listed: Signal<ReadonlyMap<string, number>> = signal<ReadonlyMap<string, number>>(new Map());

/** False if the server cannot list open requests. */
let isSupported = true;

/** Number of open requests by session id. Timers are not counted, because they need no answer of a person. */
export const requestCounts: ReadonlySignal<ReadonlyMap<string, number>> = computed(() => {
  const counts = new Map(listed.value);
  const open = sessionId.value;
  // The events of the open session are newer than the list.
  if (open !== undefined && status.value.kind === 'ready') {
    const count = openRequests.value.filter(({ interrupt }) => interrupt.kind !== 'timer').length;
    if (count > 0) counts.set(open, count);
    else counts.delete(open);
  }
  return counts;
});

let newestRequest = 0;

export function forgetInbox(): void {
  listed.value = new Map();
}

/** Reads the open requests of the user again. Errors are ignored. */
export async function refreshInbox(): Promise<void> {
  const app = appName.peek();
  const user = userId.peek();
  if (app === undefined || !isSupported) return;
  const request = ++newestRequest;
  const counts = new Map<string, number>();
  try {
    for await (const { kind, sessionId: id } of client.interrupts.inbox({ appName: app, userId: user, limit: PAGE }))
      if (kind !== 'timer') counts.set(id, (counts.get(id) ?? 0) + 1);
    // The response to an earlier request may arrive later.
    if (request === newestRequest && appName.peek() === app && userId.peek() === user) listed.value = counts;
  } catch (error) {
    const code = ClientError.is(error) ? error.code : undefined;
    if (code === 'LEASING_NOT_SUPPORTED' || code === 'NOT_FOUND') isSupported = false;
  }
}
