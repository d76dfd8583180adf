import type { Event } from '@thole/core';
import { isFrameworkPart } from '../history/event-kinds.ts';
import { Shape, shapeOf } from '../history/event-shape.ts';

/** The events that say something to an agent in this branch, without what runs and people say to each other. */
export function includeEvents(events: readonly Event[], branch: string | undefined): Event[] {
  const included: Event[] = [];
  for (const event of events) {
    const shown = includeEvent(event, shapeOf(event), branch);
    if (shown) included.push(shown);
  }
  return included;
}

/**
 * The event as it may be shown, or undefined: one of another branch, a partial, one that says nothing (state alone, blank,
 * nothing but thoughts, a closing record) or a request to a person and its answer. Where only some parts are such, the
 * others are shown. Compaction records and transcriptions pass. `shape` is the event's.
 */
export function includeEvent(event: Event, shape: number, branch: string | undefined): Event | undefined {
  if (event.partial || !isVisible(event.branch, branch)) return undefined;
  if (shape & (Shape.compaction | Shape.transcript)) return event;
  if (!(shape & Shape.framework)) return shape & Shape.said ? event : undefined;
  const shown = withoutFrameworkParts(event);
  return shapeOf(shown) & Shape.said ? shown : undefined;
}

/** Branches are dotted paths: one sees itself, what it came from and what stands in no branch. No branch sees all. */
function isVisible(made: string | undefined, viewer: string | undefined): boolean {
  return !made || !viewer || made === viewer || viewer.startsWith(`${made}.`);
}

function withoutFrameworkParts(event: Event): Event {
  const parts = event.content?.parts?.filter((part) => !isFrameworkPart(part));
  return { ...event, content: { ...event.content, parts } };
}
