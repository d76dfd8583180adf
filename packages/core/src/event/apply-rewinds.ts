import type { Event } from './event.ts';

/** Events in order: an array, or an `EventLog`. */
interface EventList {
  readonly length: number;
  at(index: number): Event | undefined;
}

/**
 * Returns the invocation before which this event rewinds. Undefined for other events. Only markers of the runtime count:
 * events without content by `user` or `system`. The same action in an event of an agent or a tool has no effect.
 */
export function rewindOf(event: Event): string | undefined {
  const target = event.actions?.rewindBeforeInvocationId;
  if (target === undefined || event.content !== undefined) return undefined;
  return event.author === 'user' || event.author === 'system' ? target : undefined;
}

/**
 * Returns the events that are not rewound. A marker removes itself and everything since the first event of the
 * invocation it names, including other markers. A marker with an unknown invocation removes only itself. A compaction
 * record that was stored after the marker does not apply if it names an event that the marker removes.
 */
export function applyRewinds(events: readonly Event[]): readonly Event[] {
  if (!events.some((event) => rewindOf(event) !== undefined)) return events;
  const visible = [...newestFirst(events)].toReversed();
  if (!visible.some((event) => event.actions.compaction)) return visible;
  const ids = new Set(visible.map((event) => event.id));
  const rewound = new Set(events.filter((event) => !ids.has(event.id)).map((event) => event.id));
  return visible.filter((event) => !event.actions.compaction?.eventIds?.some((id) => rewound.has(id)));
}

/**
 * Yields the events that are not rewound, newest first. The cost depends on the events that the caller reads, plus a
 * search at each marker.
 */
export function* newestFirst(events: EventList): Generator<Event, void, undefined> {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events.at(i)!;
    const target = rewindOf(event);
    if (target === undefined) yield event;
    else i = firstOf(events, target, i);
  }
}

/** Returns the index of the invocation's first event, or `before` if that event is not earlier than `before`. */
function firstOf(events: EventList, invocationId: string, before: number): number {
  const first = firstEventOf(events, invocationId);
  return first >= 0 && first < before ? first : before;
}

/**
 * Returns the index of the invocation's first event, -1 if it has none. A marker with which this invocation has removed
 * an earlier invocation does not count. It stays when this invocation is removed, so that the earlier invocation stays
 * removed.
 */
export function firstEventOf(events: EventList, invocationId: string): number {
  for (let i = 0; i < events.length; i++) {
    const event = events.at(i)!;
    if (event.invocationId === invocationId && rewindOf(event) === undefined) return i;
  }
  return -1;
}
