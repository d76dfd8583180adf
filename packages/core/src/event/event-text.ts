import { EMPTY_OBJECT } from '../json/copy-json.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { setOwn } from '../json/own.ts';
import { actionMapNames, NO_ACTIONS } from './event-actions.ts';
import type { EventActions } from './event-actions.ts';
import type { Event } from './event.ts';

const mapNames: ReadonlySet<string> = new Set(actionMapNames);

/**
 * Returns an event as JSON text for a database, without `seq` and without empty action maps. Most events have four empty maps, which
 * would be a quarter of a short text.
 */
export function toEventText(event: Event): string {
  return JSON.stringify({ ...event, seq: undefined, actions: withoutEmptyMaps(event.actions) });
}

/** Returns the event of a text of `toEventText`, or of a text with all maps. Throws a `SyntaxError` if the text is not JSON. */
export function fromEventText(text: string): Event {
  const event = JSON.parse(text) as Event;
  event.actions = isEmpty(event.actions) ? NO_ACTIONS : { ...NO_ACTIONS, ...event.actions };
  return event;
}

function withoutEmptyMaps(actions: EventActions): JsonObject {
  const members = actions as unknown as JsonObject;
  let kept: { [name: string]: Json } | undefined;
  for (const name in members) {
    const value = members[name]!;
    if (!mapNames.has(name) || !isEmpty(value as JsonObject)) setOwn((kept ??= {}), name, value);
  }
  return kept ?? EMPTY_OBJECT;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
