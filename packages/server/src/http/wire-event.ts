import { createEventActions } from '@thole/core';
import { actionMapNames } from '@thole/core/kit';
import type { Event, EventActions } from '@thole/core';
import { withoutNulls } from './without-nulls.ts';

/** Returns an event in the form that clients receive: with all four action maps, and without nulls outside opaque fields. */
export function wireEvent(event: Event): Event {
  return withoutNulls(withActionMaps(event));
}

/**
 * Returns `wireEvent` as JSON. Events of our stores have all maps and almost never a null, so nulls are removed only if
 * the JSON contains one. Partial events and events of other stores may lack maps.
 */
export function wireEventJson(event: Event): string {
  const complete = withActionMaps(event);
  const json = JSON.stringify(complete);
  return json.includes(':null') ? JSON.stringify(withoutNulls(complete)) : json;
}

/** Returns the event with all four action maps. Returns the same object if it already has them. */
export function withActionMaps(event: Event): Event {
  const { actions } = event as { actions: Partial<EventActions> | null | undefined };
  const isComplete = actionMapNames.every((name) => actions?.[name]);
  return isComplete ? event : { ...event, actions: createEventActions(omitMissing(actions ?? {})) };
}

// A member that is undefined or null would replace the empty map.
function omitMissing(actions: Partial<EventActions>): Partial<EventActions> {
  return Object.fromEntries(Object.entries(actions).filter(([, value]) => value !== undefined && value !== null));
}
