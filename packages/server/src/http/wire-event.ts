import { createEventActions } from '@thole/core';
import type { Event, EventActions } from '@thole/core';
import { withoutNulls } from './without-nulls.ts';

/** An event as clients get it: its actions have their four maps, and nothing of its own is null. */
export function wireEvent(event: Event): Event {
  return withoutNulls(withMaps(event));
}

/**
 * The same as JSON. What our services have stored has its maps, and hardly ever a null, so that an event is walked only where its text
 * holds one. Parts of streams are as an agent made them, and stores of others as they please.
 */
export function wireJson(event: Event): string {
  const whole = withMaps(event);
  const json = JSON.stringify(whole);
  return json.includes(':null') ? JSON.stringify(withoutNulls(whole)) : json;
}

/** The event itself where nothing is missing. */
export function withMaps(event: Event): Event {
  const { actions } = event as { actions: Partial<EventActions> | null | undefined };
  const isWhole =
    actions?.stateDelta && actions.artifactDelta && actions.requestedAuthConfigs && actions.requestedToolConfirmations;
  return isWhole ? event : { ...event, actions: createEventActions(present(actions ?? {})) };
}

// A member that is there and undefined, or null, would take the place of the map.
function present(actions: Partial<EventActions>): Partial<EventActions> {
  return Object.fromEntries(Object.entries(actions).filter(([, value]) => value !== undefined && value !== null));
}
