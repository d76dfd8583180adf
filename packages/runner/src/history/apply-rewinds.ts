import type { Event, EventLog } from '@thole/core';
import { rewindOf } from './rewind-of.ts';

/**
 * Returns the events that are not rewound. A marker removes itself and everything since the first event of the
 * invocation it names, including other markers. A marker with an unknown invocation removes only itself.
 */
export function applyRewinds(events: readonly Event[]): readonly Event[] {
  if (!events.some((event) => rewindOf(event) !== undefined)) return events;
  return [...newestFirst(events)].toReversed();
}

/** Yields the events that are not rewound, newest first. Costs only what is read, plus a search at each marker. */
export function* newestFirst(events: EventLog | readonly Event[]): Generator<Event, void, undefined> {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events.at(i)!;
    const target = rewindOf(event);
    if (target === undefined) yield event;
    else i = firstOf(events, target, i);
  }
}

/** Returns the index of the invocation's first event; `before` if it has none before that. */
function firstOf(events: EventLog | readonly Event[], invocationId: string, before: number): number {
  for (let i = 0; i < before; i++) if (events.at(i)!.invocationId === invocationId) return i;
  return before;
}
