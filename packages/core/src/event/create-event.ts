import { systemRuntime } from '../runtime/system-runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { EventActions } from './event-actions.ts';
import type { Event } from './event.ts';

/** What an event is made of: only its author is required. */
export type EventInit = Omit<Partial<Event>, 'actions'> & {
  author: string;
  actions?: Partial<EventActions> | undefined;
};

/** An event with what is missing filled in: id, time, invocation id and the four action maps. */
export function createEvent(init: EventInit, runtime: Runtime = systemRuntime()): Event {
  return {
    ...init,
    id: init.id ?? runtime.newId('event'),
    invocationId: init.invocationId ?? runtime.newId('invocation'),
    timestamp: init.timestamp ?? runtime.now(),
    actions: createEventActions(init.actions),
  };
}

/** Actions with the four maps that are always present. */
export function createEventActions(init?: Partial<EventActions>): EventActions {
  return { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {}, ...init };
}
