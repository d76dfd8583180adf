import { createEvent, TholeError } from '@thole/core';
import type { Event, SessionRef, SessionService } from '@thole/core';

/** Returns the n-th event of a task. Its text and its keys in every scope of the state contain n. */
export function stepOf(task: string, n: number): Event {
  return createEvent({
    ...{ id: `${task}-${n}`, invocationId: task, author: 'worker', timestamp: 1_700_000_000 + n },
    content: { role: 'model', parts: [{ text: `${n} ${'x'.repeat((n * 37) % 700)}` }] },
    actions: { stateDelta: { [task]: n, [`user:${task}`]: n, [`app:${task}`]: n, last: `${task}-${n}` } },
  });
}

/** Appends an event, and repeats the append as contract 7 allows until its outcome is known. */
export async function appendSurely(service: SessionService, session: SessionRef, event: Event): Promise<void> {
  for (;;) {
    try {
      await service.appendEvent({ session, event });
      return;
    } catch (error) {
      if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN') && !TholeError.is(error, 'STORE_UNAVAILABLE')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
