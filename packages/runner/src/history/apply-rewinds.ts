import type { Event, EventLog } from '@thole/core';
import { rewindOf } from './rewind-of.ts';

/**
 * The events that still stand. A marker annuls itself and everything since the first event of the invocation it names,
 * markers among them. One that names an invocation which is not here annuls only itself.
 */
export function applyRewinds(events: readonly Event[]): readonly Event[] {
  if (!events.some((event) => rewindOf(event) !== undefined)) return events;
  return [...newestFirst(events)].toReversed();
}

/** The events that still stand, the newest first. Costs only what is read of it, but for a search at each marker. */
export function* newestFirst(events: EventLog | readonly Event[]): Generator<Event, void, undefined> {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events.at(i)!;
    const target = rewindOf(event);
    if (target === undefined) yield event;
    else i = firstOf(events, target, i);
  }
}

/** The index of the invocation's first event; `before` where it has none before that. */
function firstOf(events: EventLog | readonly Event[], invocationId: string, before: number): number {
  for (let i = 0; i < before; i++) if (events.at(i)!.invocationId === invocationId) return i;
  return before;
}
