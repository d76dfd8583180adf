import { systemRuntime } from '../runtime/system-runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { optionNames } from '../errors/option-names.ts';
import type { Optional } from '../errors/optional.ts';
import { TholeError } from '../errors/thole-error.ts';
import { createActionMaps } from './event-actions.ts';
import type { EventActions } from './event-actions.ts';
import type { Event } from './event.ts';

/** Members of a new event. Only the author is required. */
export type EventInit = Optional<Omit<Event, 'actions'>> & {
  author: string;
  actions?: Optional<EventActions> | undefined;
};

/** Returns an event with defaults for missing members: id, time, invocation id and the four action maps. */
export function createEvent(init: EventInit, runtime: Runtime = systemRuntime()): Event {
  rejectSnakeCase(init, 'createEvent');
  return {
    ...init,
    id: init.id ?? runtime.newId('event'),
    invocationId: init.invocationId ?? runtime.newId('invocation'),
    timestamp: init.timestamp ?? runtime.now(),
    actions: createEventActions(init.actions),
  };
}

/** Returns actions with the four maps that are always present. */
export function createEventActions(init?: EventInit['actions']): EventActions {
  if (init) rejectSnakeCase(init, 'createEventActions');
  const {
    stateDelta = {},
    artifactDelta = {},
    requestedAuthConfigs = {},
    requestedToolConfirmations = {},
    ...more
  } = init ?? {};
  return { stateDelta, artifactDelta, requestedAuthConfigs, requestedToolConfirmations, ...more };
}

// Names in snake_case, as in Python, are a common mistake. Other unknown members are allowed, so that events of newer
// versions keep them.
function rejectSnakeCase(init: object, where: string): void {
  for (const name in init) {
    if (!name.includes('_', 1)) continue;
    const camelCase = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    if (!CAMEL_CASE.has(camelCase)) continue;
    throw new TholeError('INVALID_INPUT', `${where} has no member ${name}. Did you mean ${camelCase}?`);
  }
}

/** A name of several words, such as `invocationId`. */
type CamelCase<Name extends string> = Name extends Lowercase<Name> ? never : Name;

/** Members of events and actions whose names have several words. */
const CAMEL_CASE: ReadonlySet<string> = new Set(
  optionNames<Record<CamelCase<keyof Event | keyof EventActions>, unknown>>({
    invocationId: true,
    longRunningToolIds: true,
    nodeInfo: true,
    turnComplete: true,
    finishReason: true,
    errorCode: true,
    errorMessage: true,
    usageMetadata: true,
    groundingMetadata: true,
    citationMetadata: true,
    inputTranscription: true,
    outputTranscription: true,
    modelVersion: true,
    customMetadata: true,
    ...createActionMaps(() => true as const),
    skipSummarization: true,
    transferToAgent: true,
    endOfAgent: true,
    agentState: true,
    rewindBeforeInvocationId: true,
  }),
);
