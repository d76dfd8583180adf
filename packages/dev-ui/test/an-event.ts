import { createEvent } from '@thole/core';
import type { Event, EventInit, Part } from '@thole/core';

/** Returns an event with `seq`, as a server sends it. */
export function anEvent(seq: number, init: Partial<EventInit> & { parts?: Part[] }): Event {
  const { parts, ...rest } = init;
  const event = createEvent({
    id: `event-${seq}`,
    invocationId: 'invocation-1',
    author: 'concierge',
    timestamp: 1_700_000_000 + seq,
    ...(parts && { content: { role: init.author === 'user' ? 'user' : 'model', parts } }),
    ...rest,
  });
  return { ...event, seq };
}
