import type { Event } from '@thole/core';
import { isFrameworkPart } from '../history/event-kinds.ts';
import { Shape, shapeOf } from '../history/event-shape.ts';

/** Returns the events that an agent in this branch sees, without those between runs and people. */
export function includeEvents(events: readonly Event[], branch: string | undefined): Event[] {
  const included: Event[] = [];
  for (const event of events) {
    const shown = includeEvent(event, shapeOf(event), branch);
    if (shown) included.push(shown);
  }
  return included;
}

/**
 * Returns the event with its visible parts. Undefined for an event of another branch, a partial, an event without
 * words (state only, blank, thoughts only, a closing record), and a request to a person or its answer. Compaction
 * records and transcriptions are included. `shape` is the event's.
 */
export function includeEvent(event: Event, shape: number, branch: string | undefined): Event | undefined {
  if (event.partial || !isVisible(event.branch, branch)) return undefined;
  if (shape & (Shape.compaction | Shape.transcript)) return event;
  if (!(shape & Shape.framework)) return shape & Shape.visible ? event : undefined;
  const shown = withoutFrameworkParts(event);
  return shapeOf(shown) & Shape.visible ? shown : undefined;
}

/**
 * Branches are dotted paths: a branch sees itself, its ancestors and events without a branch. An agent without a
 * branch sees all.
 */
function isVisible(made: string | undefined, viewer: string | undefined): boolean {
  return !made || !viewer || made === viewer || viewer.startsWith(`${made}.`);
}

function withoutFrameworkParts(event: Event): Event {
  const parts = event.content?.parts?.filter((part) => !isFrameworkPart(part));
  return { ...event, content: { ...event.content, parts } };
}
