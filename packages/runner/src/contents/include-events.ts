import { deepFreeze } from '@thole/core/kit';
import type { Event, Json, JsonObject, Part } from '@thole/core';
import { isFrameworkPart } from '../history/event-kinds.ts';
import { isCompletePart, Shape, shapeOf } from '../history/event-shape.ts';

/** Returns the events that an agent in this branch sees, without requests to a person and their answers. */
export function includeEvents(events: readonly Event[], branch: string | undefined): Event[] {
  const included: Event[] = [];
  for (const event of events) {
    const shown = includeEvent(event, shapeOf(event), branch);
    if (shown) included.push(shown);
  }
  return included;
}

/**
 * Returns the event with its visible parts. Undefined for a partial event, an event of another branch, and a request to
 * a person or its answer. Also undefined without visible content: state only, blank, thoughts only, a closing record.
 * Compaction records and transcriptions are included. `shape` is the shape of the event.
 */
export function includeEvent(event: Event, shape: number, branch: string | undefined): Event | undefined {
  if (event.partial || !isVisible(event.branch, branch)) return undefined;
  if (shape & (Shape.compaction | Shape.transcript)) return event;
  if (!(shape & (Shape.framework | Shape.incomplete))) return shape & Shape.visible ? event : undefined;
  const shown = withSendableParts(event);
  return shapeOf(shown) & Shape.visible ? shown : undefined;
}

/**
 * Branches are dotted paths. An agent in a branch sees events of its branch, of the branches above it, and events without a
 * branch. An agent without a branch sees all events.
 */
function isVisible(eventBranch: string | undefined, viewer: string | undefined): boolean {
  return !eventBranch || !viewer || eventBranch === viewer || viewer.startsWith(`${eventBranch}.`);
}

function withSendableParts(event: Event): Event {
  const parts = event.content?.parts?.filter((part) => !isFrameworkPart(part)).flatMap(toCompleteParts);
  return { ...event, content: { ...event.content, parts } };
}

/** Adds missing arguments and responses, and removes files without data or type: no provider accepts such parts. */
function toCompleteParts(part: Part): Part[] {
  if (isCompletePart(part)) return [part];
  const { functionCall, functionResponse } = part;
  if (functionCall) return [deepFreeze({ ...part, functionCall: { ...functionCall, args: {} } })];
  if (!functionResponse) return [];
  const result = functionResponse.response as Json | undefined;
  const response: JsonObject = result === undefined || result === null ? {} : { result };
  return [deepFreeze({ ...part, functionResponse: { ...functionResponse, response } })];
}
